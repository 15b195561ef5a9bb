import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 20
const AFTER_KILL_MS = 500

/**
 * Ends every process of a group: asks, waits at most `graceMs`, then kills. Resolves when none is left, or half a second
 * after the kill (a dead process nobody collects still counts as a member). Never throws.
 */
export async function endGroup(pid: number, graceMs: number): Promise<void> {
  if (process.platform === 'win32') return endTreeOnWindows(pid)
  if (!signalGroup(pid, 'SIGTERM')) return
  if (await isGone(pid, graceMs)) return
  signalGroup(pid, 'SIGKILL')
  await isGone(pid, AFTER_KILL_MS)
}

/** `false`: there is no such group any more. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal)
    return true
  } catch (error) {
    // ESRCH: nobody is left. EPERM: members changed their user and are out of our hands.
    return error instanceof Error && 'code' in error && error.code === 'EPERM' && signal !== 0
  }
}

async function isGone(pid: number, withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs
  while (signalGroup(pid, 0)) {
    if (performance.now() >= end) return false
    await sleep(POLL_MS)
  }
  return true
}

function endTreeOnWindows(pid: number): Promise<void> {
  return new Promise(resolve => {
    const killer = spawn('taskkill', ['/pid', String(pid), '/T', '/F'], {
      stdio: 'ignore',
      windowsHide: true,
    })
    killer.once('error', () => resolve()) // no taskkill: the process keeps its own fate
    killer.once('close', () => resolve())
  })
}
