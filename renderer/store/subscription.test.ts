import { afterEach, expect, it } from 'vitest'
import { createFakeHost } from '../gallery/fake-host.ts'
import { mockSpecs } from '../gallery/fixtures.ts'
import { createWorld } from '../gallery/world.ts'
import { createApp } from './create-app.ts'

let stop = () => {}
afterEach(() => stop())

it('what the host said before it was replaced goes with it', async () => {
  const host = createFakeHost(createWorld(Date.now(), mockSpecs()))
  const { app, start } = createApp({
    client: host.client,
    storage: null,
    chooseFolder: null,
    windowControls: null,
    log: () => {},
  })
  stop = start()
  const { getState } = app.store
  await expect.poll(() => getState().connection).toBe('open')
  host.push({ kind: 'banner', id: 'rescued', banner: { level: 'alert', text: 'The database was damaged.' } })
  await expect.poll(() => getState().banners.size).toBe(1)

  const { epoch } = getState()
  host.drop()
  await expect.poll(() => getState().epoch, { timeout: 5000 }).toBeGreaterThan(epoch)
  expect(getState().banners.size).toBe(0)
})
