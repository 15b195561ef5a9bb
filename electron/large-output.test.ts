import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createRouterClient } from '@orpc/server'
import { afterEach, describe, expect, it } from 'vitest'
import type { Frame } from '#shared/frames.ts'
import { type EventData, readEvent } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { createScriptedModel } from './model/scripted-model.ts'
import { createRouter } from './rpc/router.ts'
import { openTestWorkbench, type TestWorkbench } from './workbench-fixture.ts'

/* What programs print, from the program to the window, through the real composition root. */

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
let bench: TestWorkbench | null = null
afterEach(async () => {
  await bench?.dispose()
  bench = null
})

async function openBench(...commands: readonly string[]): Promise<TestWorkbench> {
  const model = createScriptedModel([
    ...commands.map(command => ({ calls: [{ name: 'shell', input: { command } }] })),
    'Done.',
    'Done again.',
  ])
  bench = await openTestWorkbench({ model })
  return bench
}

/** A window as a shell would serve it. */
function clientOf({ workbench }: TestWorkbench) {
  const connection = { id: 'w', isOpen: true, end: () => {} }
  return createRouterClient(createRouter(workbench), { context: { connection } as never })
}

async function run(bench: TestWorkbench, id?: SessionId): Promise<SessionId> {
  const session = id ?? (await bench.root())
  await bench.send(session, 'Run it')
  const settled = async () => (await bench.log(session)).at(-1)?.type === 'turn/end'
  for (let waited = 0; !(await settled()); waited += 1) {
    if (waited > 1000) throw new Error('the turn does not end')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  return session
}

async function resultsOf(bench: TestWorkbench, id: SessionId): Promise<EventData<'tool/result'>[]> {
  return (await bench.log(id)).flatMap(stored => {
    const event = readEvent(stored)
    return event?.type === 'tool/result' ? [event.data] : []
  })
}

async function storedOf(bench: TestWorkbench, id: SessionId, output: string): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for (let from = 0; ; ) {
    const slice = await bench.workbench.store.outputs.read(id, output, { from, length: 1_000_000 })
    if (slice === null) throw new Error('no such output')
    parts.push(slice.bytes)
    from += slice.bytes.length
    if (from >= slice.size) return Buffer.concat(parts)
  }
}

/** Prints 30 MB of lines with characters of one to four bytes, and leaves their hash in a file. */
const THIRTY_MB = `"${process.execPath}" -e '
  const hash = require("crypto").createHash("sha256")
  let bytes = 0, line = 0
  const print = () => {
    while (bytes < 30e6) {
      const text = Buffer.from("line " + line++ + " " + "\\u6728\\u{1f333}\\u00e9x".repeat(200) + "\\n")
      bytes += text.length
      hash.update(text)
      if (!process.stdout.write(text)) return process.stdout.once("drain", print)
    }
    require("fs").writeFileSync("hash", hash.digest("hex"))
  }
  print()'`

describe('a large output', () => {
  it('of 30 MB is stored whole, and nothing but its ends and its name is in the log, a page or a frame', async () => {
    const bench = await openBench(THIRTY_MB)
    const client = clientOf(bench)
    const id = await bench.root()
    const frames: Frame[] = []
    const ending = new AbortController()
    const watching = (async () => {
      for await (const { batch, frames: pushed } of await client.stream.subscribe(
        { subscription: 's', watch: { open: [id], listed: [] } },
        { signal: ending.signal },
      )) {
        frames.push(...pushed)
        await client.stream.acknowledge({ subscription: 's', batch })
      }
    })().catch(() => undefined)

    await run(bench, id)

    const [result] = await resultsOf(bench, id)
    const hash = await readFile(join(bench.folder, 'hash'), 'utf8')
    expect(result?.output).toEqual({
      id: result?.callId,
      bytes: expect.any(Number),
      lines: expect.any(Number),
    })
    expect(result?.output?.bytes).toBeGreaterThanOrEqual(30_000_000)
    const stored = await storedOf(bench, id, result?.callId ?? '')
    expect(stored.length).toBe(result?.output?.bytes)
    expect(sha256(stored)).toBe(hash)

    const log = await bench.log(id)
    const page = await client.history.page({ sessionId: id, limit: 1000 })
    await bench.until(() =>
      frames.some(frame => frame.kind === 'events' && frame.events.some(({ type }) => type === 'turn/end')),
    )
    expect(Buffer.byteLength(JSON.stringify(log))).toBeLessThan(400_000)
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(400_000)
    expect(Buffer.byteLength(JSON.stringify(frames))).toBeLessThan(600_000)
    const loaded = JSON.stringify(await bench.workbench.store.persistence.inspect(id))
    expect(Buffer.byteLength(loaded)).toBeLessThan(400_000)
    ending.abort()
    await watching
  }, 60_000)

  it('of 2 MB of noise is stored to the bit and said to be binary', async () => {
    const bench = await openBench('head -c 2000000 /dev/urandom | tee noise')

    const id = await run(bench)

    const [result] = await resultsOf(bench, id)
    const noise = await readFile(join(bench.folder, 'noise'))
    expect(result).toMatchObject({
      status: 'ok',
      summary: 'binary, 2.0 MB',
      output: { bytes: 2_000_000, binary: true },
    })
    expect(JSON.stringify(result?.content)).toBe(
      '[{"type":"text","text":"[Binary output of 2.0 MB, not shown.]"}]',
    )
    expect(sha256(await storedOf(bench, id, result?.callId ?? ''))).toBe(sha256(noise))
  }, 60_000)

  it('is read by a window in parts, and only by the session that has it', async () => {
    const bench = await openBench('seq 1 20000')
    const client = clientOf(bench)
    const id = await run(bench)
    const other = await bench.root()
    const [result] = await resultsOf(bench, id)
    const output = result?.output?.id ?? ''

    const part = await client.history.output({ sessionId: id, id: output, from: 0, length: 8 })
    const end = await client.history.output({
      sessionId: id,
      id: output,
      from: 108_890,
      length: 100,
      as: 'bytes',
    })

    expect(part).toEqual({ from: 0, to: 8, size: 108_894, part: { kind: 'text', text: '1\n2\n3\n4\n' } })
    expect(end.part).toEqual({ kind: 'bytes', base64: Buffer.from('000\n').toString('base64') })
    await expect(
      client.history.output({ sessionId: other, id: output, from: 0, length: 8 }),
    ).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    })
    await expect(
      client.history.output({ sessionId: id, id: output, from: 0, length: 262_145 }),
    ).rejects.toThrow()
  })

  it('goes with a fork', async () => {
    const bench = await openBench('seq 1 20000')
    const id = await run(bench)
    const [result] = await resultsOf(bench, id)

    const fork = await bench.workbench.actions.fork(id)

    const slice = await bench.workbench.store.outputs.read(fork, result?.callId ?? '', { from: 0, length: 4 })
    expect(slice?.size).toBe(108_894)
  })

  it('that was under way when the workbench was killed is kept as far as it came', async () => {
    const bench = await openBench('seq 1 100000; sleep 60')
    const id = await bench.root()
    await bench.send(id, 'Run it')
    const kept = async () => (await bench.workbench.store.outputs.list(id))[0]?.size ?? 0
    await bench.until(async () => (await kept()) === 588_895)

    const again = await bench.restart()
    const page = await clientOf(again).history.page({ sessionId: id, limit: 100 })
    const closer = page.events.find(({ type }) => type === 'tool/result')?.data as EventData<'tool/result'>
    const part = await clientOf(again).history.output({
      sessionId: id,
      id: closer.callId,
      from: 588_888,
      length: 100,
    })

    expect(closer.code).toBe('TOOL_OUTCOME_UNKNOWN')
    expect(part).toEqual({
      from: 588_888,
      to: 588_895,
      size: 588_895,
      part: { kind: 'text', text: '100000\n' },
    })
    await bench.workbench.close().catch(() => undefined)
    await again.workbench.close()
  }, 60_000)

  it('that the store cannot take does not stop the tool or the turn', async () => {
    const bench = await openBench('seq 1 100000; echo made > made')
    const full = () => Promise.reject(new Error('The disk is full: the session database cannot grow.'))
    Object.assign(bench.workbench.store.outputs, { append: full })

    const id = await run(bench)

    const [result] = await resultsOf(bench, id)
    expect(await readFile(join(bench.folder, 'made'), 'utf8')).toBe('made\n')
    expect(result).toMatchObject({ status: 'ok', output: { bytes: 0, complete: false } })
    expect(JSON.stringify(result?.content)).toContain(
      '[Nothing of the whole output could be kept: The disk is full: the session database cannot grow.]',
    )
  }, 60_000)
})

describe('a large event', () => {
  it('reaches a window shortened, and is read whole in parts', async () => {
    const bench = await openBench()
    const client = clientOf(bench)
    const text = '木 and 🌳\n'.repeat(500_000)
    const id = await bench.root()

    await bench.prompt(id, text)

    const page = await client.history.page({ sessionId: id, limit: 1000 })
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(2_000_000)
    const message = page.events.find(({ type }) => type === 'user/message')
    expect(message?.cut).toEqual([{ path: ['content', 0, 'text'], bytes: Buffer.byteLength(text) }])
    const [cut] = message?.cut ?? []
    const seq = message?.seq ?? 0
    let whole = ''
    for (let from = 0; ; ) {
      const { part, to, size } = await client.history.text({
        sessionId: id,
        seq,
        path: [...(cut?.path ?? [])],
        from,
        length: 262_144,
      })
      whole += part.kind === 'text' ? part.text : ''
      if (to >= size) break
      from = to
    }
    expect(sha256(Buffer.from(whole))).toBe(sha256(Buffer.from(text)))
    const stored = await bench.log(id)
    expect(JSON.stringify(stored.find(one => one.seq === seq)?.data)).toContain(JSON.stringify(text))
  }, 60_000)
})

describe('text that is no text', () => {
  it('is well-formed in the log, whatever a file is called and a program prints', async () => {
    const bench = await openBench("printf 'caf\\351 \\355\\240\\200 ok\\n'; ls; cat *")
    await writeFile(Buffer.from(`${bench.folder}/na\xefve`, 'latin1'), 'inside')

    const id = await run(bench)

    const [result] = await resultsOf(bench, id)
    const raw = JSON.stringify(await bench.log(id))
    expect(raw.isWellFormed()).toBe(true)
    expect(raw).not.toMatch(/\\ud[89a-f]/)
    expect(JSON.stringify(result?.content)).toContain('caf\ufffd')
    expect(result?.output).toMatchObject({ bytes: 24, lines: 3 })
    const stored = await storedOf(bench, id, result?.callId ?? '')
    expect(stored.includes(Buffer.from('caf\xe9', 'latin1'))).toBe(true)
  })
})
