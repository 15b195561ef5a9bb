import { EventEmitter } from 'node:events'
import { answer, hear } from './link.ts'
import { type FrameFacts, realUrl } from './messages.ts'
import { adoptPort } from './ports.ts'
import { StandInFrame, windowById } from './windows.ts'

type InvokeHandler = (event: unknown, ...args: readonly unknown[]) => unknown

class StandInIpcMain extends EventEmitter {
  readonly handlers = new Map<string, InvokeHandler>()
  handle(channel: string, handler: InvokeHandler): void {
    if (this.handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`)
    this.handlers.set(channel, handler)
  }
}

export const ipcMain = new StandInIpcMain()

hear('ipc', ({ window, frame, channel, args, ports }) => {
  const adopted = ports.map(port => adoptPort(window, port))
  const event = eventOf(window, frame)
  if (event) ipcMain.emit(channel, { ...event, ports: adopted }, ...args)
})

hear('invoke', ({ call, window, frame, channel, args }) => {
  answer(call, () => {
    const handler = ipcMain.handlers.get(channel)
    if (!handler) throw new Error(`No handler registered for '${channel}'`)
    return handler(eventOf(window, frame), ...args)
  })
})

function eventOf(window: number, frame: FrameFacts) {
  const sender = windowById(window)?.webContents
  if (!sender) return null
  if (frame.isMainFrame) sender.mainFrame.url = realUrl(frame.url)
  return { sender, senderFrame: frame.isMainFrame ? sender.mainFrame : new StandInFrame(realUrl(frame.url)) }
}
