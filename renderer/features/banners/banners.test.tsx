// @vitest-environment jsdom
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, describe, expect, it } from 'vitest'
import type { Banner } from '#shared/banner.ts'
import type { Frame } from '#shared/frames.ts'
import { createFakeHost } from '../../gallery/fake-host.ts'
import { createWorld } from '../../gallery/world.ts'
import { AppProvider } from '../../store/app-context.tsx'
import { applyFrames } from '../../store/apply-frames.ts'
import { createApp } from '../../store/create-app.ts'
import { Banners } from './banners.tsx'

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })

let end = () => {}
afterEach(() => end())

function show(banners: Readonly<Record<string, Banner>>) {
  const host = createFakeHost(createWorld(Date.now(), []))
  const { app } = createApp({
    client: host.client,
    storage: null,
    chooseFolder: null,
    windowControls: null,
    log: () => {},
  })
  const frames: Frame[] = Object.entries(banners).map(([id, banner]) => ({ kind: 'banner', id, banner }))
  app.store.setState(state => ({ ...applyFrames(state, frames), connection: 'open' }))
  const place = document.body.appendChild(document.createElement('div'))
  const root = createRoot(place)
  act(() =>
    root.render(
      <AppProvider app={app}>
        <Banners />
      </AppProvider>,
    ),
  )
  end = () => {
    act(() => root.unmount())
    place.remove()
  }
  const press = (name: string) => {
    const button = [...document.querySelectorAll('button')].find(
      one => (one.getAttribute('aria-label') ?? one.textContent) === name,
    )
    act(() => button?.click())
    return button
  }
  return {
    app,
    press,
    roles: () => [...place.children].map(one => [one.getAttribute('role'), one.textContent]),
  }
}

describe('banners', () => {
  it('show what is to be done before what is only to be known', () => {
    const { roles } = show({
      migrated: { level: 'status', text: 'Brought up to date.' },
      unsaved: { level: 'alert', text: 'The disk is full.' },
    })
    expect(roles()).toEqual([
      ['alert', 'The disk is full.'],
      ['status', 'Brought up to date.'],
    ])
  })

  it('lead with their one button to what they are about', () => {
    const { app, press } = show({
      unsaved: {
        level: 'alert',
        text: 'The disk is full.',
        action: { call: 'open-storage', label: 'What uses space' },
      },
      damaged: {
        level: 'alert',
        text: 'It was damaged.',
        action: { call: 'restore-backup', label: 'Restore backup…', name: 'b.db' },
      },
    })
    press('What uses space')
    expect(app.store.getState().overlay).toEqual({ kind: 'settings', page: 'storage' })
    press('Restore backup…')
    expect(app.store.getState().overlay).toEqual({ kind: 'settings', page: 'storage', restore: 'b.db' })
  })

  it('have no way to be put away unless the host gave one', () => {
    const { press } = show({ unsaved: { level: 'alert', text: 'The disk is full.' } })
    expect(press('Dismiss')).toBeUndefined()
  })

  it('are hostile text: nothing in it is markup', () => {
    const { roles } = show({ odd: { level: 'status', text: '<img src=x onerror=alert(1)>' } })
    expect(roles()).toEqual([['status', '<img src=x onerror=alert(1)>']])
    expect(document.querySelector('img')).toBeNull()
  })
})
