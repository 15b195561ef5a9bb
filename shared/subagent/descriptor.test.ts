import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDescriptor } from './descriptor.ts'

/* The one interpreter of descriptors. The 22 malformed cases are those of the study's §8.8.14. */

const oneShot = { version: 2, mode: 'one-shot', provider: 'spawn' }
const continuable = { version: 2, mode: 'continuable', provider: 'spawn', label: 'Keep the notes' }
const full = {
  ...continuable,
  agentProvider: 'p',
  agentModel: 'm',
  persona: 'Terse.',
  toolFilter: { allow: ['read'], deny: ['shell'] },
}

describe('a descriptor', () => {
  it.each([
    ['a one-shot without a label', oneShot],
    ['a one-shot with one', { ...oneShot, label: 'Look' }],
    ['a continuable of the fewest fields', continuable],
    ['a continuable of all fields', full],
    ['a filter that only denies', { ...continuable, toolFilter: { deny: [] } }],
  ])('that is %s comes back as it was written, absent fields left out (8.8.14)', (_, data) => {
    expect(parseDescriptor(JSON.parse(JSON.stringify(data)))).toEqual({
      kind: 'descriptor',
      descriptor: data,
    })
  })

  it.each([1, 3, 2.5, 0, -2])(
    'of version %s is of no version we know, whatever else is in it (8.8.14)',
    version => {
      expect(parseDescriptor({ version, mode: 7, anything: true })).toEqual({ kind: 'version' })
    },
  )

  const malformed: [string, unknown, string][] = [
    ['a text', 'one-shot', 'not an object'],
    ['null', null, 'not an object'],
    ['a list', [oneShot], 'not an object'],
    ['without a version', { mode: 'one-shot', provider: 'p' }, 'version'],
    ['of a version in words', { ...oneShot, version: '2' }, 'version'],
    ['without a mode', { version: 2, provider: 'p' }, 'mode'],
    ['of an unknown mode', { ...oneShot, mode: 'two-shot' }, 'mode'],
    ['a one-shot with a persona', { ...oneShot, persona: 'Terse.' }, 'persona'],
    ['a continuable with an unknown field', { ...continuable, maxTokens: 5 }, 'maxTokens'],
    ['without a provider', { version: 2, mode: 'one-shot' }, 'provider'],
    ['of a provider that is no text', { ...oneShot, provider: 1 }, 'provider'],
    ['a continuable without a label', { version: 2, mode: 'continuable', provider: 'p' }, 'label'],
    ['of a label that is no text', { ...continuable, label: null }, 'label'],
    ['of an agent provider that is no text', { ...continuable, agentProvider: 1 }, 'agentProvider'],
    ['of an agent model that is no text', { ...continuable, agentModel: [] }, 'agentModel'],
    ['of a persona that is no text', { ...continuable, persona: {} }, 'persona'],
    ['of a filter that is no object', { ...continuable, toolFilter: 'read' }, 'toolFilter'],
    ['of a filter with an unknown key', { ...continuable, toolFilter: { allow: [], only: [] } }, 'only'],
    ['of an empty filter', { ...continuable, toolFilter: {} }, 'allow or deny'],
    ['of a filter that allows no list', { ...continuable, toolFilter: { allow: 'read' } }, 'allow'],
    ['of a filter that denies no list', { ...continuable, toolFilter: { deny: { shell: true } } }, 'deny'],
    [
      'of a filter with an item that is no text',
      { ...continuable, toolFilter: { allow: ['a', 5] } },
      'allow[1]',
    ],
  ]
  it.each(malformed)('that is %s is malformed and says why (8.8.14)', (_, data, word) => {
    expect(parseDescriptor(data)).toEqual({ kind: 'malformed', problem: expect.stringContaining(word) })
  })

  it('says something different for each kind of fault (8.8.14)', () => {
    const problems = malformed.map(([, data]) => {
      const parsed = parseDescriptor(data)
      return parsed.kind === 'malformed' ? parsed.problem : parsed.kind
    })
    expect(malformed).toHaveLength(22)
    // No object at all, no version at all and no known mode have one wording each.
    expect(new Set(problems).size).toBe(22 - 2 - 1 - 1)
  })

  it('is read from any JSON without a throw, and what is read parses to itself', () => {
    const field = fc.oneof(fc.constantFrom(2, 'one-shot', 'continuable', 'spawn'), fc.jsonValue())
    const near = fc.record(
      { version: field, mode: field, provider: field, label: field, toolFilter: field },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), near), data => {
        const parsed = parseDescriptor(data)
        if (parsed.kind === 'descriptor') expect(parseDescriptor(parsed.descriptor)).toEqual(parsed)
      }),
      { numRuns: 500 },
    )
  })
})
