// @vitest-environment jsdom
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ComposerBox } from './composer-box.tsx'

let root: Root
let sent: string[]
let box: HTMLTextAreaElement

beforeEach(async () => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  document.body.innerHTML = '<div></div>'
  root = createRoot(document.body.firstElementChild!)
  sent = []
  await act(() =>
    root.render(
      <ComposerBox
        draft="にほん"
        placeholder=""
        focus={0}
        onChange={() => {}}
        onSend={() => sent.push('send')}
        onSteer={() => sent.push('steer')}
        strip={null}
        problem={null}
        foot={null}
      />,
    ),
  )
  box = document.querySelector('textarea')!
})

afterEach(async () => {
  await act(() => root.unmount())
})

async function fire(
  type: string,
  init: KeyboardEventInit & { readonly keyCode?: number } = {},
): Promise<Event> {
  const event = type.startsWith('composition')
    ? new CompositionEvent(type, { bubbles: true })
    : new KeyboardEvent(type, { bubbles: true, cancelable: true, ...init })
  await act(() => {
    box.dispatchEvent(event)
  })
  return event
}

const enter = (init: KeyboardEventInit & { readonly keyCode?: number } = {}) =>
  fire('keydown', { key: 'Enter', keyCode: 13, ...init })
const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

describe('the message box', () => {
  it('sends on Enter, steers with Ctrl or Cmd, breaks the line with Shift', async () => {
    expect((await enter()).defaultPrevented).toBe(true)
    await enter({ ctrlKey: true })
    await enter({ metaKey: true })
    expect((await enter({ shiftKey: true })).defaultPrevented).toBe(false)
    expect(sent).toEqual(['send', 'steer', 'steer'])
  })

  it('leaves an Enter that confirms a candidate to the input method', async () => {
    await fire('compositionstart')
    await enter({ isComposing: true })
    await enter({ keyCode: 229 })
    await fire('compositionend')
    expect(sent).toEqual([])
  })

  it('leaves the Enter that comes right after a composition ended, and takes the next one', async () => {
    await fire('compositionstart')
    await fire('compositionend')
    expect((await enter()).defaultPrevented).toBe(false)
    expect(sent).toEqual([])
    await pause(120)
    await enter()
    expect(sent).toEqual(['send'])
  })

  it('takes no other key', async () => {
    await fire('keydown', { key: 'a', ctrlKey: true })
    await enter({ altKey: true })
    expect(sent).toEqual([])
  })
})
