import type { Page } from '@playwright/test'

/** What has to be seen for a click to be over. */
export interface Wanted {
  readonly selector: string
  /** Somewhere in the element. */
  readonly text?: string
}

export interface Seen {
  /** From the event's own time to the paint of the first frame that shows it. */
  readonly ms: number
  /** Longest task of the page meanwhile that took 50 ms or more; 0 when none did. */
  readonly longTaskMs: number
  readonly treeRows: number
  readonly logRows: number
}

/** Measures in the page: what a driver adds on its way to it is not part of a figure. */
export async function timeClick(page: Page, wanted: Wanted, click: () => Promise<void>): Promise<Seen> {
  await page.evaluate(watchNextClick, wanted)
  await click()
  return page.evaluate(() => (window as unknown as { seen: Promise<Seen> }).seen)
}

/** The time at which something is seen for the first time, in epoch ms. */
export function timeFirst(page: Page, wanted: Wanted): Promise<number> {
  return page.evaluate(untilSeen, wanted)
}

/** Runs in the page, by itself: it may refer to nothing outside it. */
function watchNextClick(wanted: Wanted): void {
  const tasks: PerformanceEntry[] = []
  const observer = new PerformanceObserver(list => tasks.push(...list.getEntries()))
  observer.observe({ type: 'longtask' })
  const isShown = (element: Element) => {
    const { top, bottom, height } = element.getBoundingClientRect()
    const inView = height > 0 && bottom > 0 && top < window.innerHeight
    return inView && (wanted.text === undefined || element.textContent.includes(wanted.text))
  }
  const seen = new Promise<Seen>((resolve, reject) => {
    const onClick = ({ timeStamp }: Event) => {
      const look = () => {
        if (![...document.querySelectorAll(wanted.selector)].some(isShown)) {
          if (performance.now() - timeStamp < 20_000) requestAnimationFrame(look)
          else reject(new Error(`${JSON.stringify(wanted)} was never seen`))
          return
        }
        const painted = new MessageChannel()
        painted.port1.onmessage = () => {
          const ms = performance.now() - timeStamp
          const treeRows = document.querySelectorAll('[role="treeitem"]').length
          const logRows = document.querySelectorAll('[role="log"] [data-index]').length
          // An entry of a task is handed out a moment after its end.
          setTimeout(() => {
            observer.disconnect()
            const during = tasks.filter(
              ({ startTime, duration }) => startTime + duration > timeStamp && startTime < timeStamp + ms,
            )
            const longTaskMs = Math.max(0, ...during.map(({ duration }) => duration))
            resolve({ ms, longTaskMs, treeRows, logRows })
          }, 100)
        }
        painted.port2.postMessage(null)
      }
      requestAnimationFrame(look)
    }
    window.addEventListener('click', onClick, { capture: true, once: true })
  })
  Object.assign(window, { seen })
}

/** Runs in the page, by itself. */
function untilSeen(wanted: Wanted): Promise<number> {
  return new Promise(resolve => {
    const look = () => {
      const found = [...document.querySelectorAll(wanted.selector)].some(
        element =>
          element.getBoundingClientRect().height > 0 &&
          (wanted.text === undefined || element.textContent.includes(wanted.text)),
      )
      if (!found) {
        requestAnimationFrame(look)
        return
      }
      const painted = new MessageChannel()
      painted.port1.onmessage = () => resolve(performance.timeOrigin + performance.now())
      painted.port2.postMessage(null)
    }
    look()
  })
}
