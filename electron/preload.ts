import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron'
import { PORT_MESSAGE, WINDOW_CHANNELS, type WindowApi } from '#shared/window-api.ts'

// Sandboxed: built as one CommonJS file that requires nothing but 'electron'.
const api: WindowApi = {
  platform: process.platform,
  // contextBridge cannot pass a port: one end goes to the shell, the other to the page as a message of its own window.
  requestPort() {
    const { port1, port2 } = new MessageChannel()
    ipcRenderer.postMessage(WINDOW_CHANNELS.port, null, [port1])
    window.postMessage(PORT_MESSAGE, '/', [port2]) // '/': this page's origin, whatever it is
  },
  async chooseFolder() {
    const folder: unknown = await ipcRenderer.invoke(WINDOW_CHANNELS.chooseFolder)
    return typeof folder === 'string' ? folder : null
  },
  onCommand(listener) {
    const forward = (_event: IpcRendererEvent, command: unknown) => listener(command)
    ipcRenderer.on(WINDOW_CHANNELS.command, forward)
    ipcRenderer.send(WINDOW_CHANNELS.listening)
    return () => {
      ipcRenderer.off(WINDOW_CHANNELS.command, forward)
    }
  },
}

contextBridge.exposeInMainWorld('espalier', api)
// Answered by the page's own thread: a page that hangs falls silent.
ipcRenderer.on(WINDOW_CHANNELS.ping, () => ipcRenderer.send(WINDOW_CHANNELS.pong))
