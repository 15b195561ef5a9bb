/*
 * A small chart by hand: panels side by side, both axes logarithmic, one line a series. It carries its own colours for
 * light and dark, so that it can stand in a page that knows nothing of it.
 */

export interface Point {
  /** 0 has a place of its own at the left: a logarithm has none. */
  readonly x: number
  readonly y: number
}

export interface Series {
  readonly name: string
  /** Dashed: what the work itself costs. */
  readonly isLimit: boolean
  readonly colour: 'a' | 'b'
  readonly points: readonly Point[]
}

export interface Panel {
  readonly title: string
  readonly series: readonly Series[]
}

const WIDTH = 360
const HEIGHT = 300
const MARGIN = { left: 76, right: 30, top: 34, bottom: 34 }
const LEGEND = 54

const STYLE = `
  text { font: 11px system-ui, sans-serif; fill: #4a5058 }
  .title { font-size: 13px; font-weight: 600; fill: #1d2127 }
  .grid { stroke: #d9dde3; stroke-width: 1 }
  .line { fill: none; stroke-width: 2 }
  .limit { stroke-dasharray: 4 4; stroke-width: 1.5 }
  .a { stroke: #2563c9 } .b { stroke: #b4530a }
  .dot.a { fill: #2563c9 } .dot.b { fill: #b4530a }
  @media (prefers-color-scheme: dark) {
    text { fill: #b6bdc7 } .title { fill: #eceff3 } .grid { stroke: #3a414b }
    .a { stroke: #7fb0ff } .b { stroke: #f2a65a } .dot.a { fill: #7fb0ff } .dot.b { fill: #f2a65a }
  }`

/** @param unit of the vertical axis. All panels share it, so that they can be compared. */
export function drawChart(panels: readonly Panel[], unit: string): string {
  const ys = panels.flatMap(panel => panel.series.flatMap(({ points }) => points.map(({ y }) => y)))
  const toY = scale(decadesAround(ys), HEIGHT - MARGIN.bottom, MARGIN.top)
  const width = WIDTH * panels.length
  const height = HEIGHT + LEGEND
  const drawn = panels.map(
    (panel, index) => `<g transform="translate(${index * WIDTH} 0)">${drawPanel(panel, toY, unit)}</g>`,
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(panels.map(({ title }) => title).join('; '))}: ${escaped(unit)}</title>`,
    `<style>${STYLE}</style>`,
    ...drawn,
    drawLegend(panels[0]?.series ?? []),
    '</svg>',
    '',
  ].join('\n')
}

interface Scale {
  readonly ticks: readonly number[]
  at(value: number): number
}

function drawPanel({ title, series }: Panel, toY: Scale, unit: string): string {
  const xs = series.flatMap(({ points }) => points.map(({ x }) => x))
  const hasZero = xs.includes(0)
  const from = MARGIN.left + (hasZero ? 40 : 0)
  const positive = scale(decadesAround(xs.filter(x => x > 0)), from, WIDTH - MARGIN.right)
  const toX: Scale = {
    ticks: hasZero ? [0, ...positive.ticks] : positive.ticks,
    at: x => (x === 0 ? MARGIN.left : positive.at(x)),
  }
  const bottom = HEIGHT - MARGIN.bottom
  return [
    text(MARGIN.left, 18, title, 'class="title"'),
    ...toY.ticks.flatMap(y => [
      `<path class="grid" d="M${MARGIN.left} ${round(toY.at(y))}H${WIDTH - MARGIN.right}"/>`,
      text(MARGIN.left - 6, toY.at(y) + 4, `${spoken(y)} ${unit}`, 'text-anchor="end"'),
    ]),
    ...toX.ticks.flatMap(x => [
      `<path class="grid" d="M${round(toX.at(x))} ${MARGIN.top}V${bottom}"/>`,
      text(toX.at(x), bottom + 16, spoken(x), 'text-anchor="middle"'),
    ]),
    ...series.map(one => drawSeries(one, toX, toY)),
  ].join('\n')
}

function drawSeries({ name, isLimit, colour, points }: Series, toX: Scale, toY: Scale): string {
  const sorted = points.toSorted((a, b) => a.x - b.x)
  const places = sorted.map(({ x, y }) => `${round(toX.at(x))} ${round(toY.at(y))}`)
  const line = `<path class="line ${isLimit ? 'limit ' : ''}${colour}" d="M${places.join('L')}"/>`
  if (isLimit) return line
  const dots = sorted.map(({ x, y }) => {
    const label = `<title>${escaped(name)}, ${spoken(x)}: ${y}</title>`
    return `<circle class="dot ${colour}" cx="${round(toX.at(x))}" cy="${round(toY.at(y))}" r="3.5">${label}</circle>`
  })
  return [line, ...dots].join('\n')
}

function drawLegend(series: readonly Series[]): string {
  return series
    .map(({ name, isLimit, colour }, index) => {
      const x = MARGIN.left + Math.floor(index / 2) * WIDTH
      const y = HEIGHT + 14 + (index % 2) * 20
      const stroke = `<path class="line ${isLimit ? 'limit ' : ''}${colour}" d="M${x} ${y}h28"/>`
      return `${stroke}${text(x + 36, y + 4, name)}`
    })
    .join('\n')
}

/** Powers of ten, from the one below the smallest to the one above the largest. */
function decadesAround(values: readonly number[]): readonly [number, number] {
  const positive = values.filter(value => value > 0)
  const low = Math.floor(Math.log10(Math.min(...positive)))
  const high = Math.ceil(Math.log10(Math.max(...positive)))
  return Number.isFinite(low) && Number.isFinite(high) ? [low, Math.max(high, low + 1)] : [0, 1]
}

function scale([low, high]: readonly [number, number], from: number, to: number): Scale {
  return {
    ticks: Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index)),
    at: value => from + ((Math.log10(value) - low) / (high - low)) * (to - from),
  }
}

function text(x: number, y: number, content: string, attributes = ''): string {
  return `<text x="${round(x)}" y="${round(y)}" ${attributes}>${escaped(content)}</text>`
}

function spoken(value: number): string {
  return value < 1 ? String(value) : Math.round(value).toLocaleString('en')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
