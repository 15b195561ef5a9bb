import { app, dialog } from 'electron'
import type { Host } from '../store/host-file.ts'

/**
 * This instance may not have the data folder: points to the one that has it and writes nothing. Another window of
 * Espalier comes to the front and gets our arguments; a browser shell is named with its address.
 */
export function pointToTheOther(dataFolder: string, host: Host | null): void {
  // Asking for the lock is what tells the other instance; ours to have only if that one dies at this moment.
  if (host?.kind !== 'browser' && !app.requestSingleInstanceLock()) return
  const where = host?.address
    ? `Open it in a browser: ${host.address}`
    : `Its process is ${host?.pid ?? 'unknown'}.`
  dialog.showErrorBox('Espalier is already running', `The data folder ${dataFolder} is in use. ${where}`)
}
