import { createRoot } from 'react-dom/client'
import { settledBlock } from '../markdown/markdown-block.tsx'
import type { App } from '../store/app.ts'
import { formatExact } from '../ui/format.ts'
import { Workbench } from './workbench.tsx'

const SAMPLE = 'A *word* and `code`, [a link](https://example.org).\n\n- a list\n\n```ts\ncode\n```\n'

export function draw(root: HTMLElement, app: App): void {
  createRoot(root).render(<Workbench app={app} />)
  whenIdle(app, warmUp)
}

/** What the first conversation would wait for: its text is read by code that nothing has run yet. */
function warmUp(): void {
  settledBlock(SAMPLE)
  formatExact(0)
}

/** Once the sessions are listed and the page has nothing to do. */
function whenIdle({ store }: App, work: () => void): void {
  const isListed = () => store.getState().roots.status !== 'loading'
  // Not every engine says when it is idle; a moment later it mostly is.
  const begin = () =>
    typeof requestIdleCallback === 'function' ? requestIdleCallback(work) : setTimeout(work, 200)
  if (isListed()) {
    begin()
    return
  }
  const stop = store.subscribe(() => {
    if (!isListed()) return
    stop()
    begin()
  })
}
