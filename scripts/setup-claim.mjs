// One set-up at a time. A killed `npm start` can leave its npm behind, still writing; two npm in one node_modules
// undo each other's work. So the claim names both processes, and holds while either lives.
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { projectRoot } from './packaged-node.mjs'

const folder = join(projectRoot, '.build')
const claimFile = join(folder, 'setup.pid')

/** An older claim is not believed: its process numbers may have been given to others since. */
const longestSetupMs = 30 * 60_000

/** @typedef {{ extendTo: (pid: number | undefined) => void, release: () => void }} Claim */

/**
 * Waits for a set-up that is under way, then claims the next one.
 * @returns {Promise<Claim>}
 */
export async function claimSetup() {
  mkdirSync(folder, { recursive: true })
  for (let told = false; !tryToClaim(); told = true) {
    if (!told) console.error('Waiting for another set-up of this folder to end…')
    await delay(300)
  }
  return {
    extendTo: pid => writeFileSync(claimFile, `${process.pid} ${pid ?? ''}`),
    release: () => rmSync(claimFile, { force: true }),
  }
}

function tryToClaim() {
  if (!isHeld()) rmSync(claimFile, { force: true })
  try {
    writeFileSync(claimFile, `${process.pid}`, { flag: 'wx' })
    return true
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false
    throw error
  }
}

function isHeld() {
  if (!existsSync(claimFile) || Date.now() - statSync(claimFile).mtimeMs > longestSetupMs) return false
  return readFileSync(claimFile, 'utf8').split(' ').filter(Boolean).map(Number).some(isAlive)
}

function isAlive(/** @type {number} */ pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM' // alive, and somebody else's
  }
}
