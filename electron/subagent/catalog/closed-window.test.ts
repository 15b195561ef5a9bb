import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { MessageChannel } from 'node:worker_threads'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { ContractRouterClient } from '@orpc/contract'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { contract } from '#shared/contract.ts'
import { Fold } from '#shared/projection/fold.ts'
import { UNITS } from '#shared/projection/units.ts'
import { lifecycleFacts } from '#shared/session/header.ts'
import { silentLog } from '../../log.ts'
import { createScriptedModel } from '../../model/scripted-model.ts'
import { createRouter } from '../../rpc/router.ts'
import { servePort } from '../../rpc/transport/message-port.ts'
import { createPeerHost } from '../../rpc/transport/peer.ts'
import { openStore } from '../../store/store-client.ts'
import { openTestWorkbench, type TestWorkbench } from '../../workbench-fixture.ts'
import { child, id, logOf, oneShot, PARENT } from './fixtures/catalog-fixture.ts'

/*
 * A listing for a window that closed ends in the store's queue (contracts §6.6), through the real router and a real
 * port. The store thread folds with a unit of this test's own, which says when it reads a log and waits in it.
 */

const CHILDREN = 8
let bench: TestWorkbench
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'espalier-window-'))
  process.env['ESPALIER_TEST_READS'] = join(folder, 'reads')
  bench = await openTestWorkbench({
    model: createScriptedModel(() => 'Hello.'),
    openStore: options =>
      openStore({ ...options, unitsModule: new URL('./fixtures/slow-units.ts', import.meta.url).href }),
  })
  const { persistence } = bench.workbench.store
  await persistence.create({ version: 1, id: PARENT, createdAt: 1 }, logOf([['x', null]]))
  for (let index = 0; index < CHILDREN; index += 1) {
    const header = child(`c${String(index).padStart(2, '0')}`)
    await persistence.create(header, logOf([oneShot(), ['x/slow', header.id]]))
  }
})
afterEach(async () => {
  delete process.env['ESPALIER_TEST_READS']
  await bench.dispose()
  await rm(folder, { recursive: true, force: true })
})

function openWindow() {
  const host = createPeerHost(createRouter(bench.workbench), silentLog)
  const { port1, port2 } = new MessageChannel()
  const { promise: isGone, resolve: gone } = Promise.withResolvers<void>()
  servePort(host, {
    on: (event: 'message' | 'close', listener: (event: { data: unknown }) => void) =>
      event === 'message'
        ? port1.on('message', data => listener({ data }))
        : port1.on('close', () => {
            listener({ data: null })
            gone()
          }),
    postMessage: message => port1.postMessage(message),
    start: () => port1.start(),
    close: () => port1.close(),
  })
  const client: ContractRouterClient<typeof contract> = createORPCClient(new RPCLink({ port: port2 }))
  return {
    client,
    /** Resolves when the host has heard of it. */
    close(): Promise<void> {
      port2.close()
      return isGone
    },
  }
}

/** Lets the store thread go on. */
function letGo(): void {
  writeFileSync(join(folder, 'reads.go'), '')
}

/** In the order in which the store thread began to read them. */
function notedReads(): string[] {
  try {
    return readFileSync(join(folder, 'reads'), 'utf8').trim().split('\n')
  } catch {
    return [] // none yet
  }
}

it('reads every log for a window that stays', async () => {
  const { client, close } = openWindow()
  letGo()

  const { entries } = await client.subagents.children({ parentId: PARENT })

  expect(entries).toHaveLength(CHILDREN)
  expect(notedReads()).toHaveLength(CHILDREN)
  await close()
})

it('reads no further log once the window has closed, also none that was asked for already', async () => {
  const { client, close } = openWindow()
  const listing = client.subagents.children({ parentId: PARENT }).catch(() => 'gone')
  while (notedReads().length === 0) await sleep(1)

  await close()
  letGo()

  const { persistence } = bench.workbench.store
  for (let turn = 0; turn < 5; turn += 1) await persistence.revision(PARENT) // behind everything that waited
  expect(notedReads()).toHaveLength(1)
  void listing
})

it('goes on for another window that waits for the same logs', async () => {
  const one = openWindow()
  const other = openWindow()
  const given = one.client.subagents.children({ parentId: PARENT }).catch(() => 'gone')
  const kept = other.client.subagents.children({ parentId: PARENT })
  while (notedReads().length === 0) await sleep(1)

  await one.close()
  letGo()

  const { entries } = await kept
  expect(entries).toHaveLength(CHILDREN)
  await other.close()
  void given
})

it('makes no more of a long answer once the window has closed', async () => {
  const { persistence, checkpoints } = bench.workbench.store
  const parentSession = id('many')
  const headers = Array.from({ length: 800 }, (_, index) => child(`n${index}`, { parentSession }))
  const asked = {
    turn: 1,
    step: 1,
    callId: 'c',
    approvalId: 'q',
    name: 'shell',
    toolClass: 'shell',
    input: {},
  }
  const events = logOf([oneShot(), ['approval/asked', { ...asked, pattern: 'shell: ls' }]])
  await Promise.all(headers.map(header => persistence.create(header, events)))
  const fold = new Fold(UNITS, { parentSession, createdAt: 1 })
  for (const event of events) fold.apply(event)
  const rows = fold.checkpoint()
  await checkpoints.write(
    headers.map(header => ({ sessionId: header.id, facts: lifecycleFacts(header), rows, faults: [] })),
  )
  const { client, close } = openWindow()
  const listing = client.subagents.children({ parentId: parentSession, with: ['facts'] }).catch(() => 'gone')
  while (notedReads().length === 0) await sleep(1)

  await close()
  letGo()

  await persistence.revision(PARENT)
  expect(notedReads().length).toBeLessThan(headers.length / 2)
  void listing
})
