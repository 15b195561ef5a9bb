import { setTimeout as delay } from 'node:timers/promises'

/** Waits for something that announces itself in no better way. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  what: string,
  timeoutMs = 15_000,
): Promise<void> {
  const end = performance.now() + timeoutMs
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`Waited ${timeoutMs} ms for ${what}.`)
    await delay(20)
  }
}
