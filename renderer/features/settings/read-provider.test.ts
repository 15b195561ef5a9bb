import { describe, expect, it } from 'vitest'
import { idOf, readProvider } from './read-provider.ts'

function form(values: Record<string, string>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(values)) data.set(name, value)
  return data
}

describe('the provider form', () => {
  it('gives a provider whose id comes from its name', () => {
    const data = form({
      label: 'Custom endpoint',
      baseUrl: 'https://models.example/v1',
      models: 'a, b  c',
      key: ' k ',
    })
    expect(readProvider(data, 'openai-compatible', null)).toEqual({
      ok: true,
      key: 'k',
      provider: {
        id: 'custom-endpoint',
        kind: 'openai-compatible',
        label: 'Custom endpoint',
        baseUrl: 'https://models.example/v1',
        models: ['a', 'b', 'c'],
      },
    })
  })

  it.each([
    [{ label: '', baseUrl: 'http://x' }, 'The provider needs a name.'],
    [{ label: 'x', baseUrl: '' }, 'The provider needs an address.'],
    [{ label: 'x', baseUrl: 'file:///etc' }, 'The address has to begin with http:// or https://.'],
  ])('says what is missing of %j', (values, problem) => {
    expect(readProvider(form(values), 'openai-compatible', null)).toEqual({ ok: false, problem })
  })

  it('makes an id of any name', () => {
    expect(idOf('Älteste Modelle!')).toBe('a-lteste-modelle')
    expect(idOf('模型')).toBe('provider')
  })
})
