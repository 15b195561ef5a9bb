import { strict as assert } from 'node:assert'
import { type Browser, chromium, type Page } from '@playwright/test'
import { type BenchResult, compare, type Lab, runBench } from '../../electron/bench/lab.ts'
import type { Trial } from '../../electron/bench/measure.ts'
import { chromiumOptions } from '../support/chromium.ts'
import { serveBarePage } from './bare-page.ts'
import { startEspalier } from './bench-host.ts'
import { type Seen, timeClick, timeFirst, type Wanted } from './window-clock.ts'
import { type CorpusChild, childrenOf, makeWindowCorpus, type WindowCorpus } from './window-corpus.ts'

/*
 * From a click to what it is for, in the real page on the real host, in Chromium. `first`: the first click of a window
 * whose host has just started; `later`: those after it. `stallMs` is the page's longest task from the click to the
 * sight of it, and 0 below 50 ms, which is what a browser calls long. `rssMiB` is the host's.
 */

const TRIALS = 7
const MOST_ROWS = 100
/** What a person needs to find a row. */
const AIM_MS = 500

interface Click {
  readonly row: string
  readonly wanted: Wanted
}

interface Journey {
  readonly name: string
  readonly sizes: BenchResult['sizes']
  /** Rows that are open when the window is. */
  readonly expanded: readonly string[]
  readonly clicks: readonly Click[]
  readonly rowsOf: (seen: Seen) => number
}

await runBench(import.meta.url, {
  benchmarks: {
    'ui/open-tree': lab => travel(lab, openTree),
    'ui/open-child': lab => travel(lab, openChild),
    'ui/open-long': lab => travel(lab, openLong),
  },
  trials: {},
})

function openTree({ dataFolder, wide, sizes }: WindowCorpus): Journey {
  return {
    name: 'ui/open-tree',
    sizes: { sessions: sizes.sessions, descendants: sizes.children, rows: sizes.wideChildren },
    expanded: [],
    clicks: wide.map(row => ({
      row,
      wanted: { selector: `[data-row="${childrenOf(dataFolder, row)[0]?.id}"]` },
    })),
    rowsOf: ({ treeRows }) => treeRows,
  }
}

function openChild({ dataFolder, wide, sizes }: WindowCorpus): Journey {
  return {
    name: 'ui/open-child',
    sizes: { sessions: sizes.sessions, descendants: sizes.children, events: sizes.wideEvents },
    expanded: wide.slice(0, 1),
    clicks: wide.slice(0, 1).flatMap(root => childrenOf(dataFolder, root).slice(0, 8).map(clickOn)),
    rowsOf: ({ logRows }) => logRows,
  }
}

function openLong({ dataFolder, long, sizes }: WindowCorpus): Journey {
  return {
    name: 'ui/open-long',
    sizes: { sessions: sizes.sessions, descendants: sizes.children, events: sizes.longEvents },
    expanded: long,
    clicks: long.flatMap(root => childrenOf(dataFolder, root).map(clickOn)),
    rowsOf: ({ logRows }) => logRows,
  }
}

function clickOn({ id, lastWords }: CorpusChild): Click {
  return { row: id, wanted: { selector: '[role="log"] [data-index]', text: lastWords } }
}

let corpus: Promise<WindowCorpus> | null = null

async function* travel(lab: Lab, journeyIn: (corpus: WindowCorpus) => Journey): AsyncIterable<BenchResult> {
  corpus ??= makeWindowCorpus(lab.folder, {
    sessions: lab.size(5000, 10),
    children: lab.size(50_000, 100),
    wideTrees: 3,
    wideChildren: lab.size(1000, 50),
    wideEvents: 200,
    longTrees: 3,
    longEvents: lab.size(100_000, 200),
  })
  const made = await corpus
  const { name, sizes, ...journey } = journeyIn(made)
  const browser = await chromium.launch(chromiumOptions())
  try {
    const trials: Trial[] = []
    let last: Visit | null = null
    for (let trial = 0; trial < TRIALS; trial += 1) {
      last = await visit(browser, made.dataFolder, journey)
      trials.push(last.trial)
    }
    const { json = '', rows = 0 } = last ?? {}
    const limits = await bare(browser, json, rows)
    const what = `a bare page that fetches the same JSON and puts ${rows} plain rows`
    yield compare({ name, sizes: { ...sizes, click: 'first' }, trials, what, limits, run: 'first' })
    yield compare({ name, sizes: { ...sizes, click: 'later' }, trials, what, limits, run: 'later' })
  } finally {
    await browser.close()
  }
}

interface Visit {
  readonly trial: Trial
  /** What the host sent for the last click. */
  readonly json: string
  readonly rows: number
}

async function visit(
  browser: Browser,
  dataFolder: string,
  { expanded, clicks, rowsOf }: Pick<Journey, 'expanded' | 'clicks' | 'rowsOf'>,
): Promise<Visit> {
  const host = await startEspalier(dataFolder)
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  try {
    const page = await context.newPage()
    const heard = hear(page)
    await page.addInitScript(leaveWindowAs, expanded)
    await page.goto(host.address)
    await timeFirst(page, { selector: `[data-row="${clicks[0]?.row}"]` })
    await page.waitForTimeout(AIM_MS)
    const seen: Seen[] = []
    for (const { row, wanted } of await fromBelow(page, clicks)) {
      heard.forget()
      seen.push(await timeClick(page, wanted, () => page.locator(`[data-row="${row}"]`).click()))
      await page.waitForTimeout(AIM_MS)
    }
    for (const { treeRows, logRows } of seen) assert(treeRows <= MOST_ROWS && logRows <= MOST_ROWS)
    const rows = Math.max(...seen.map(rowsOf))
    assert(rows > 0)
    const ms = seen.map(one => one.ms)
    const stallMs = Math.max(...seen.map(({ longTaskMs }) => longTaskMs))
    return { trial: { ms, stallMs, rssMiB: host.peakRssMiB() }, json: heard.longest(), rows }
  } finally {
    await context.close()
    await host.end()
  }
}

/** From below, so that what opens pushes nothing out of sight that is clicked next. */
async function fromBelow(page: Page, clicks: readonly Click[]): Promise<readonly Click[]> {
  const places: { readonly click: Click; readonly top: number }[] = []
  for (const click of clicks) {
    const box = await page.locator(`[data-row="${click.row}"]`).boundingBox()
    places.push({ click, top: box?.y ?? 0 })
  }
  return places.sort((one, other) => other.top - one.top).map(({ click }) => click)
}

/** Runs in the page: what a window of before left behind. */
function leaveWindowAs(expanded: readonly string[]): void {
  const left = { open: null, expanded, closedGroups: [], unseen: [], inspectorTab: 'overview', sort: 'title' }
  window.localStorage.setItem(
    'espalier.window',
    JSON.stringify({ ...left, sidebarShown: true, inspectorShown: true }),
  )
}

/** The texts that the page's socket brings. */
function hear(page: Page): { forget(): void; longest(): string } {
  let texts: string[] = []
  page.on('websocket', socket =>
    socket.on('framereceived', ({ payload }) => void texts.push(payload.toString())),
  )
  return {
    forget: () => {
      texts = []
    },
    longest: () => texts.reduce((longest, text) => (text.length > longest.length ? text : longest), ''),
  }
}

async function bare(browser: Browser, json: string, rows: number): Promise<readonly Trial[]> {
  const served = await serveBarePage(json, rows)
  const limits: Trial[] = []
  for (let trial = 0; trial < TRIALS; trial += 1) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    await page.goto(served.address)
    const ms: number[] = []
    for (let click = 0; click < 2; click += 1) {
      await page.waitForTimeout(AIM_MS)
      await page.evaluate(() => document.querySelector('#list')?.replaceChildren())
      const opened = () => page.getByRole('button').click()
      ms.push((await timeClick(page, { selector: '#list > div' }, opened)).ms)
    }
    limits.push({ ms, stallMs: 0, rssMiB: 0 })
    await context.close()
  }
  served.close()
  return limits
}
