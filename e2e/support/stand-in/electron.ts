// biome-ignore-all lint/performance/noBarrelFile: this file is the module 'electron', as far as main.ts uses it
export { app } from './app.ts'
export { ipcMain } from './ipc.ts'
export {
  dialog,
  Menu,
  nativeImage,
  nativeTheme,
  protocol,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
} from './system.ts'
export { BrowserWindow } from './windows.ts'
