import { lstat, mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFileLog } from './file-log.ts'
import { createFileSecrets } from './file-secrets.ts'
import { silentLog } from './log.ts'
import { createRouter } from './rpc/router.ts'
import { listenLocally } from './rpc/transport/local-socket.ts'
import { createPeerHost } from './rpc/transport/peer.ts'
import { makeDataFolder } from './store/data-folder.ts'
import { writeHost } from './store/host-file.ts'
import { sessionsFolder } from './store/jsonl/format.ts'
import { makeSessionsFolder } from './store/jsonl/make-format.ts'
import { takeLock } from './store/lock.ts'
import { delegatesOnce, openTestTree } from './tree-fixture.ts'

let before = 0
beforeEach(() => {
  before = process.umask(0)
})
afterEach(() => {
  process.umask(before)
})

/** Every file and folder that others may open, with its mode. */
async function openToOthers(folder: string): Promise<readonly string[]> {
  const names = [...(await readdir(folder, { recursive: true })), '.']
  const found = await Promise.all(
    names.map(async name => ({ name, mode: (await lstat(join(folder, name))).mode & 0o777 })),
  )
  return found
    .filter(({ mode }) => (mode & 0o077) !== 0)
    .map(({ name, mode }) => `${name} ${mode.toString(8)}`)
}

describe.skipIf(process.platform === 'win32')('the data folder', () => {
  it.each(['sqlite', 'jsonl'] as const)(
    'is closed to others with everything in it, whatever the process would allow them (%s)',
    async backend => {
      const at = await mkdtemp(join(tmpdir(), 'espalier-modes-'))
      makeDataFolder(join(at, 'data'))
      if (backend === 'jsonl') makeSessionsFolder(sessionsFolder(join(at, 'data')), 'zstd')
      const parts = {
        root: delegatesOnce({ description: 'Look around', prompt: 'Look.' }),
        child: () => 'Done.',
      }
      const bench = await openTestTree(parts, { at })
      const { dataFolder, workbench } = bench
      try {
        const lock = takeLock(dataFolder)
        createFileLog(dataFolder, 'browser-shell').info('Ready')
        await createFileSecrets({ path: join(dataFolder, 'secrets.json'), log: silentLog }).set('own', 'key')
        workbench.settings.update({ theme: 'dark' })
        const host = createPeerHost(createRouter(workbench), silentLog)
        const socket = await listenLocally(host, join(dataFolder, 'host.sock'))
        writeHost(dataFolder, { pid: process.pid, kind: 'browser', address: 'x', socket: socket.path })
        await bench.prompt(await bench.root(), 'Please begin.')
        if (backend === 'sqlite') await workbench.backups.create('manual')

        expect(await openToOthers(dataFolder)).toEqual([])

        const kept = backend === 'sqlite' ? ['espalier.db', 'espalier.db-wal', 'backups'] : ['sessions']
        const others = ['lock.db', 'logs', 'settings.json', 'secrets.json', 'host.json', 'host.sock']
        expect(await readdir(dataFolder)).toEqual(expect.arrayContaining([...kept, ...others]))
        await socket.close()
        if (lock.kind === 'taken') lock.lock.release()
      } finally {
        await bench.dispose()
      }
    },
  )
})
