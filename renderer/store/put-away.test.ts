import { afterEach, describe, expect, it } from 'vitest'
import type { SessionId } from '#shared/session/ids.ts'
import { createFakeHost } from '../gallery/fake-host.ts'
import { mockSpecs } from '../gallery/fixtures.ts'
import { createWorld } from '../gallery/world.ts'
import { openSession } from './actions.ts'
import { createApp } from './create-app.ts'
import { archiveSession, takeBack, trashSession, withChildren } from './put-away.ts'

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

async function start() {
  const world = createWorld(Date.now(), mockSpecs())
  const host = createFakeHost(world)
  const { app, start: subscribe } = createApp({
    client: host.client,
    storage: null,
    chooseFolder: null,
    windowControls: null,
    log: () => {},
  })
  stops.push(subscribe())
  const until = async (condition: () => boolean) => {
    for (let tries = 0; tries < 200 && !condition(); tries += 1)
      await new Promise(done => setTimeout(done, 5))
    expect(condition()).toBe(true)
  }
  await until(
    () => app.store.getState().roots.status === 'ready' && app.store.getState().connection === 'open',
  )
  const idOf = (label: string): SessionId => {
    const actor = [...world.actors.values()].find(one => one.label === label)
    if (actor === undefined) throw new Error(`no actor ${label}`)
    return actor.id
  }
  return { app, idOf, until, state: () => app.store.getState() }
}

describe('putting a tree away', () => {
  it('archives it with its children, says how many, and takes it back', async () => {
    const { app, idOf, state } = await start()
    const id = idOf('Trim the CLI help text')

    await archiveSession(app, id)
    expect(state().undo?.text).toBe('Archived Trim the CLI help text and 7 children')
    expect(state().summaries.get(id)?.archived).toBe(true)

    await takeBack(app, state().undo!)
    expect(state().undo).toBeNull()
    expect(state().summaries.get(id)?.archived).toBe(false)
  })

  it('moves it to the trash, closes a child of it that is open, and opens that again when undone', async () => {
    const { app, idOf, state, until } = await start()
    const id = idOf('Trim the CLI help text')
    await app.children.load(id)
    const [child] = [...state().parents].find(([, parent]) => parent === id) ?? []
    openSession(app, child!)

    await trashSession(app, id)
    await until(() => state().open === null)
    expect([...state().entries.keys(), ...state().parents.keys()]).not.toContain(child)
    expect(state().undo?.text).toBe('Moved Trim the CLI help text and 7 children to the trash')
    expect(state().summaries.has(id)).toBe(false)

    await takeBack(app, state().undo!)
    await until(() => state().summaries.has(id))
    expect(state().open).toBe(child)
  })

  it('asks before work that runs is thrown away, and only then', async () => {
    const { app, idOf, state, until } = await start()
    const id = idOf('Refactor the parser')

    await trashSession(app, id)
    expect(state().overlay).toMatchObject({ kind: 'trash-running', sessionId: id })
    expect(state().undo).toBeNull()
    expect(state().summaries.has(id)).toBe(true)

    await trashSession(app, id, true)
    await until(() => !state().summaries.has(id))
    expect(state().undo?.text).toMatch(/^Moved Refactor the parser and \d+ children/)
  })

  it('counts children in words', () => {
    expect(withChildren('Audit', 1)).toBe('Audit')
    expect(withChildren('Audit', 2)).toBe('Audit and 1 child')
    expect(withChildren('Audit', 1301)).toBe('Audit and 1,300 children')
  })
})
