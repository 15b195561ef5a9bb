// @vitest-environment jsdom
import { act, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { InspectorTab } from '../../store/state.ts'
import { InspectorTabs } from './inspector-tabs.tsx'

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })

function Harness() {
  const [tab, setTab] = useState<InspectorTab>('overview')
  return <InspectorTabs tab={tab} changed={3} onSelect={setTab} />
}

describe('the tabs of the inspector', () => {
  let end = () => {}
  beforeEach(() => {
    const place = document.body.appendChild(document.createElement('div'))
    const root = createRoot(place)
    act(() => root.render(<Harness />))
    end = () => {
      act(() => root.unmount())
      place.remove()
    }
  })
  afterEach(() => end())

  const selected = () => document.querySelector('[role=tab][aria-selected=true]')?.textContent
  const press = (key: string) => {
    const target = document.querySelector('[role=tab][aria-selected=true]')
    act(() => {
      target?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
    })
  }

  it('are walked with the arrows, round both ends, and the focus goes along', () => {
    press('ArrowRight')
    expect(selected()).toBe('Timeline')
    expect(document.activeElement?.textContent).toBe('Timeline')
    press('End')
    expect(selected()).toBe('Diagnostics')
    press('ArrowRight')
    expect(selected()).toBe('Overview')
    press('ArrowLeft')
    expect(selected()).toBe('Diagnostics')
  })

  it('are one stop for Tab', () => {
    expect(document.querySelectorAll('[role=tab][tabindex="0"]')).toHaveLength(1)
  })
})
