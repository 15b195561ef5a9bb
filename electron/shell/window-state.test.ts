import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { createWindowStateFile, type WindowState } from './window-state.ts'

const SCREEN = { x: 0, y: 0, width: 1920, height: 1080 }
let path: string

beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'espalier-window-')), 'window.json')
})

describe('the place of the window', () => {
  it('is where it was left', async () => {
    const left: WindowState = { place: { x: 100, y: 50 }, width: 900, height: 700, maximized: true }
    const file = createWindowStateFile(path, silentLog)

    await file.write(left)

    expect(createWindowStateFile(path, silentLog).read([SCREEN])).toEqual(left)
  })

  it.each([
    { x: 3_000, y: 50 },
    { x: -890, y: 50 },
    { x: 100, y: -20 },
    { x: 100, y: 1_070 },
  ])('is centred when no screen shows %j any more', async place => {
    const file = createWindowStateFile(path, silentLog)
    await file.write({ place, width: 900, height: 700, maximized: false })

    expect(file.read([SCREEN])).toEqual({ width: 900, height: 700, maximized: false })
  })

  it.each(['', '{', '{"width":1,"height":1,"maximized":false}', '{"width":900,"height":700}', 'null'])(
    'is the first one when the file holds %j',
    text => {
      writeFileSync(path, text)

      expect(createWindowStateFile(path, silentLog).read([SCREEN])).toEqual({
        width: 1360,
        height: 860,
        maximized: false,
      })
    },
  )
})
