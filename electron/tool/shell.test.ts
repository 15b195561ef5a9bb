import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { textOf } from '#shared/session/content.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { createShellTool } from './shell.ts'
import { parseInput, type ToolOutcome } from './tool.ts'
import { createToolOutput, type KeepBytes } from './tool-output.ts'

let cwd: string
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "espalier shell it's 木 "))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

const tool = createShellTool({
  env: { ...process.env, OPENAI_API_KEY: 'sk-secret', ESPALIER_HOME: '/x' },
  graceMs: 300,
})

function run(
  command: string,
  rest: { timeoutSeconds?: number; signal?: AbortSignal; keep?: KeepBytes } = {},
): Promise<ToolOutcome> {
  const { signal = new AbortController().signal, keep = async () => {}, ...input } = rest
  const parsed = parseInput(tool, { command, ...input })
  if (!parsed.ok) throw new Error(parsed.problem)
  const output = createToolOutput({ id: 'c', keep })
  return tool.execute(parsed.input, { sessionId: toSessionId('s'), callId: 'c', cwd, signal, output })
}
const text = (outcome: ToolOutcome) => textOf(outcome.content)

async function isAlive(pidFile: string): Promise<boolean> {
  const pid = Number(await readFile(join(cwd, pidFile), 'utf8'))
  const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  return state !== null && state.slice(state.lastIndexOf(')') + 2, state.lastIndexOf(')') + 3) !== 'Z'
}

describe('shell', () => {
  it('runs in the folder of the session and gives both streams', async () => {
    const outcome = await run('pwd; echo problem >&2')

    expect(outcome).toMatchObject({ status: 'ok', exitCode: 0, summary: '2 lines' })
    expect(text(outcome).split('\n').toSorted()).toEqual([cwd, 'problem'])
  })

  it('reports exit code and signal apart', async () => {
    const failed = await run('echo half; exit 3')
    const killed = await run('kill -KILL $$')

    expect(failed).toMatchObject({ status: 'error', code: 'EXIT_CODE', exitCode: 3, summary: 'exit code 3' })
    expect(text(failed)).toBe('half\n\n[Exit code 3.]')
    expect(killed).toMatchObject({
      status: 'error',
      code: 'SIGNAL',
      exitCode: null,
      summary: 'ended by SIGKILL',
    })
  })

  it('has no input to wait for and no secrets to show', async () => {
    const outcome = await run('cat; env')

    expect(outcome.status).toBe('ok')
    expect(text(outcome)).not.toMatch(/sk-secret|ESPALIER_HOME/)
    expect(text(outcome)).toContain('HOME=')
  })

  it('ends a whole group that ignores the polite signal at its time limit', async () => {
    const stubborn =
      "trap '' TERM; (trap '' TERM; echo $BASHPID > inner; while :; do sleep 0.05; done) & echo $$ > outer; wait; while :; do sleep 0.05; done"
    const started = performance.now()

    const outcome = await run(`echo began; ${stubborn}`, { timeoutSeconds: 0.4 })

    expect(outcome).toMatchObject({ status: 'error', code: 'TIMED_OUT', exitCode: null })
    expect(text(outcome)).toContain('began\n\n[Stopped after 0.4 seconds: its time limit.')
    expect(performance.now() - started).toBeLessThan(3000)
    expect([await isAlive('outer'), await isAlive('inner')]).toEqual([false, false])
  })

  it('keeps what was said when it is stopped', async () => {
    const abort = new AbortController()
    const running = run('echo before; echo $$ > pid; sleep 60', { signal: abort.signal })
    await sleep(300)
    abort.abort()

    const outcome = await running

    expect(outcome).toMatchObject({ status: 'error', code: 'CANCELLED', summary: 'stopped' })
    expect(text(outcome)).toContain('before')
    expect(await isAlive('pid')).toBe(false)
  })

  it('ends what a command leaves in the background instead of waiting for it', async () => {
    const started = performance.now()

    const outcome = await run('(echo $BASHPID > pid; exec sleep 60) & sleep 0.2; echo done')

    expect(outcome).toMatchObject({ status: 'ok', exitCode: 0 })
    expect(performance.now() - started).toBeLessThan(3000)
    expect(await isAlive('pid')).toBe(false)
  })

  it('keeps head and tail of 30 MB of output', async () => {
    const before = process.memoryUsage().rss

    const outcome = await run('echo first; head -c 30000000 /dev/zero | tr "\\0" x; echo; echo last')

    expect(text(outcome)).toMatch(/^first\nx+\n\[… 29,952,0\d\d characters cut …\]\nx+\nlast$/)
    expect(text(outcome).length).toBeLessThan(50_000)
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000)
  })

  it('says that binary output is binary', async () => {
    const outcome = await run('head -c 5000 /dev/zero')

    expect(text(outcome)).toBe('[Binary output of 5.0 kB, not shown.]')
  })

  it('keeps characters whole that arrive in two pieces', async () => {
    const outcome = await run(
      "printf '\\346\\234'; sleep 0.2; printf '\\250\\360\\237'; sleep 0.2; printf '\\214\\263'",
    )

    expect(text(outcome)).toBe('木🌳')
  })

  it('keeps a character whole while the other stream speaks in between', async () => {
    const outcome = await run("printf '\\346\\234'; sleep 0.2; printf err >&2; sleep 0.2; printf '\\250'")

    expect(text(outcome)).toBe('err木')
    expect(outcome.output).toBeUndefined()
  })

  it('reads the pipes to their end although storing is slow', async () => {
    let kept = 0
    const keep: KeepBytes = async (_from, bytes) => {
      await sleep(120)
      kept += bytes.length
    }

    const outcome = await run('head -c 3000000 /dev/zero | tr "\\0" x; echo the end', { keep })

    expect(text(outcome)).toMatch(/xthe end$/)
    expect(outcome.output).toEqual({ id: 'c', bytes: 3_000_008, lines: 1 })
    expect(kept).toBe(3_000_008)
  })

  it('does not wait for what left its group and keeps the pipe open', async () => {
    const outcome = await run('setsid sh -c "sleep 5" & echo said')

    expect(text(outcome)).toBe('said')
  })

  it('is over soon after a stop although somebody who left its group goes on speaking', async () => {
    const abort = new AbortController()
    const running = run('setsid sh -c "for i in $(seq 200); do echo still; sleep 0.05; done" & sleep 60', {
      signal: abort.signal,
    })
    await sleep(300)
    const stopped = performance.now()
    abort.abort()

    const outcome = await running

    expect(outcome.code).toBe('CANCELLED')
    expect(performance.now() - stopped).toBeLessThan(4500)
  })

  it('answers when the folder is gone or nothing can start', async () => {
    const long = await run(`: ${'x'.repeat(99_000)}`)
    await rm(cwd, { recursive: true })
    const missing = await run('pwd')

    expect(long.status).toBe('ok')
    expect(missing).toMatchObject({ status: 'error', code: 'FOLDER_MISSING' })
  })

  it('does not begin when the turn is over already', async () => {
    const outcome = await run('touch made', { signal: AbortSignal.abort() })

    expect(outcome.code).toBe('CANCELLED')
    await expect(readFile(join(cwd, 'made'))).rejects.toThrow()
  })
})
