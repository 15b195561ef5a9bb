import { type BrowserWindow, dialog, type OpenDialogOptions } from 'electron'

const OPTIONS: OpenDialogOptions = {
  title: 'Open folder',
  buttonLabel: 'Open',
  properties: ['openDirectory', 'createDirectory'],
}

/** The system's dialog, in front of `window`. `null` when the person chose none. */
export async function chooseFolder(window: BrowserWindow | undefined): Promise<string | null> {
  const { filePaths } = await (window
    ? dialog.showOpenDialog(window, OPTIONS)
    : dialog.showOpenDialog(OPTIONS))
  return filePaths[0] ?? null
}
