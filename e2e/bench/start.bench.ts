import { strict as assert } from 'node:assert'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { Browser } from '@playwright/test'
import { bareRoots } from '../../electron/bench/bare-reads.ts'
import {
  type BenchResult,
  compare,
  type Lab,
  runBench,
  type TrialArguments,
} from '../../electron/bench/lab.ts'
import type { Trial } from '../../electron/bench/measure.ts'
import { chromiumOptions } from '../support/chromium.ts'
import { startEspalier, startHost } from './bench-host.ts'
import { timeFirst } from './window-clock.ts'

/*
 * From the start of the host's process to the paint of the first sessions, in a browser that is open already.
 * `stallMs` is not measured; `rssMiB` is the host's peak until then.
 */

const TRIALS = 7

await runBench(import.meta.url, {
  benchmarks: { 'start/ready': ready },
  trials: { 'bare host': bareHost },
})

async function* ready(lab: Lab): AsyncIterable<BenchResult> {
  // Not for the bare host, which is this file as well.
  const { chromium } = await import('@playwright/test')
  const { makeWindowCorpus } = await import('./window-corpus.ts')
  const sizes = { sessions: lab.size(5000, 10), children: lab.size(50_000, 100) }
  const { dataFolder } = await makeWindowCorpus(lab.folder, {
    ...sizes,
    wideTrees: 1,
    wideChildren: 10,
    wideEvents: 20,
    longTrees: 0,
    longEvents: 0,
  })
  const browser = await chromium.launch(chromiumOptions())
  try {
    const trials: Trial[] = []
    const limits: Trial[] = []
    // One more than counts: the first one after a build compiles for all others.
    for (let trial = 0; trial <= TRIALS; trial += 1) {
      const started = await start(browser, dataFolder)
      const least = await startBare(dataFolder, sizes.sessions)
      if (trial === 0) continue
      trials.push(started)
      limits.push(least)
    }
    const what = 'a process that opens the database and answers one request with the same sessions'
    yield compare({ name: 'start/ready', sizes, trials, what, limits, run: 'first' })
  } finally {
    await browser.close()
  }
}

async function start(browser: Browser, dataFolder: string): Promise<Trial> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  const host = await startEspalier(dataFolder)
  try {
    await page.goto(host.address)
    const seenAt = await timeFirst(page, { selector: '[role="tree"] [role="treeitem"]' })
    return { ms: [seenAt - host.startedAt], stallMs: 0, rssMiB: host.peakRssMiB() }
  } finally {
    await context.close()
    await host.end()
  }
}

async function startBare(dataFolder: string, sessions: number): Promise<Trial> {
  const args = ['--trial', 'bare host', '--arguments', JSON.stringify({ dataFolder })]
  const host = await startHost([fileURLToPath(import.meta.url), ...args])
  try {
    const answer: unknown = await (await fetch(host.address)).json()
    const ms = Date.now() - host.startedAt
    assert(Array.isArray(answer) && answer.length === sessions)
    return { ms: [ms], stallMs: 0, rssMiB: host.peakRssMiB() }
  } finally {
    await host.end()
  }
}

/** Never resolves: whoever started it ends it. */
function bareHost({ dataFolder }: TrialArguments): Promise<Trial> {
  const read = bareRoots(String(dataFolder))
  const server = createServer((_, response) => response.end(JSON.stringify(read())))
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('The server listens on no port.')
    process.stdout.write(`ready: http://127.0.0.1:${address.port}/\n`)
  })
  return new Promise(() => {})
}
