import { writeFileSync } from 'node:fs'
import process from 'node:process'
import { createInterface } from 'node:readline'
import type { BenchResult } from './lab.ts'
import { drawChart, type Panel, type Point, type Series } from './scaling-chart.ts'

/*
 * `npm run scaling`: reads the lines of `catalog/scaling` from standard input, shows them, and makes `docs/scaling.md`
 * and `docs/scaling.svg` of them. Lines that are no such result are passed on.
 */

const NAME = 'catalog/scaling'
const AXES = [
  { size: 'children', title: 'Children' },
  { size: 'events', title: 'Events of each child' },
  { size: 'unrelated', title: 'Unrelated sessions' },
] as const
const READS = [
  { from: 'checkpoints', name: 'from checkpoints', limit: 'one statement and JSON.parse', colour: 'a' },
  { from: 'logs', name: 'without checkpoints', limit: 'reading and parsing the logs', colour: 'b' },
] as const
type Size = (typeof AXES)[number]['size']

const results = await readResults()
const [middle] = results
if (middle === undefined) {
  process.stderr.write('There are no results of the scaling benchmark.\n')
  process.exit(1)
}
writeFileSync(new URL('../../docs/scaling.svg', import.meta.url), drawChart(panelsOf(results, middle), 'ms'))
writeFileSync(new URL('../../docs/scaling.md', import.meta.url), pageOf(results, middle))

async function readResults(): Promise<BenchResult[]> {
  const results: BenchResult[] = []
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(`${line}\n`)
    const result = line.startsWith('{') ? (JSON.parse(line) as BenchResult) : null
    if (result?.name === NAME) results.push(result)
  }
  return results
}

/** Those that differ from the middle in `size` at most, by size. */
function along(size: Size, results: readonly BenchResult[], middle: BenchResult): BenchResult[] {
  const others = AXES.map(axis => axis.size).filter(other => other !== size)
  return results
    .filter(({ sizes }) => others.every(other => sizes[other] === middle.sizes[other]))
    .toSorted((a, b) => Number(a.sizes[size]) - Number(b.sizes[size]))
}

function panelsOf(results: readonly BenchResult[], middle: BenchResult): Panel[] {
  return AXES.map(({ size, title }) => {
    const row = along(size, results, middle)
    const series = READS.flatMap(({ from, name, limit, colour }): Series[] => {
      const those = row.filter(({ sizes }) => sizes['from'] === from)
      const points = (y: (result: BenchResult) => number): Point[] =>
        those.map(result => ({ x: Number(result.sizes[size]), y: y(result) }))
      return [
        { name: `listing ${name}`, isLimit: false, colour, points: points(({ ms }) => ms.median) },
        { name: `the bare cost: ${limit}`, isLimit: true, colour, points: points(result => result.limit.ms) },
      ]
    })
    return { title, series }
  })
}

function pageOf(results: readonly BenchResult[], middle: BenchResult): string {
  const { children, events, unrelated } = middle.sizes
  const around = `${count(children)} children of ${count(events)} events beside ${count(unrelated)} unrelated sessions`
  return `# How listing scales

![Time of a listing by children, by events of each child, and by unrelated sessions](scaling.svg)

One size at a time is varied around a middle of ${around}.
Left out is the rest of the product: 10,000 children of 2,000 events alone are 20 million events, nine gigabytes, and no
cell away from the axes would say more than the axes do.

- *checkpoints*: listing cold children with facts from their checkpoints, repeatedly in one process; *fresh* is the
  first listing of a process. The bare cost is one prepared statement for the same columns and \`JSON.parse\`.
- *logs*: the same as if no checkpoint had ever been written, so each log is read and folded. The bare cost is reading and
  parsing the same rows.

${AXES.map(axis => tableOf(axis, along(axis.size, results, middle))).join('\n')}
Made by \`npm run scaling\`. The machine, and how to read such figures: [benchmarks](benchmarks.md).
`
}

function tableOf({ size, title }: (typeof AXES)[number], row: readonly BenchResult[]): string {
  const lines = row.map(
    ({ sizes, ms, stallMs, rssMiB, limit, ratio }) =>
      `| ${count(sizes[size])} | ${sizes['from']} | ${time(ms.median)} (${time(ms.min)}, ${time(ms.max)}) | ` +
      `${time(limit.ms)} | ${ratio.toFixed(2)} | ${Math.round(stallMs)} | ${Math.round(rssMiB)} |`,
  )
  return `## ${title}

| ${title.toLowerCase()} | read from | ms median (min, max) | bare ms | ratio | stall ms | RSS MiB |
|---|---|---|---|---|---|---|
${lines.join('\n')}
`
}

function count(value: string | number | undefined): string {
  return Number(value).toLocaleString('en')
}

function time(ms: number): string {
  return ms < 10 ? String(Number(ms.toPrecision(2))) : Math.round(ms).toLocaleString('en')
}
