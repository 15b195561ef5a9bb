// Runs in the page before anything else, with the preload put in: a sandboxed preload's `require`, with the
// limits of the real one. `contextIsolation` itself cannot be had this way: the preload shares the page's world.
;(() => {
  if (window.top !== window) return
  const tell = window.__standInTell
  const listeners = new Map()
  const ports = new Map()
  let lastPort = 0

  const adopt = port => {
    if (!(port instanceof MessagePort)) throw new TypeError('Only ports are transferred')
    lastPort += 1
    const id = lastPort
    ports.set(id, port)
    port.onmessage = event => void tell({ kind: 'port', port: id, data: event.data })
    port.addEventListener('close', () => {
      if (ports.delete(id)) void tell({ kind: 'port-closed', port: id })
    })
    return id
  }

  const on = (channel, listener) => {
    if (!listeners.has(channel)) listeners.set(channel, new Set())
    listeners.get(channel).add(listener)
  }
  const off = (channel, listener) => void listeners.get(channel)?.delete(listener)

  const ipcRenderer = {
    on,
    off,
    send: (channel, ...args) => void tell({ kind: 'ipc', channel, args, ports: [] }),
    invoke: (channel, ...args) => tell({ kind: 'invoke', channel, args }),
    postMessage: (channel, message, transfer = []) =>
      void tell({ kind: 'ipc', channel, args: [message], ports: transfer.map(adopt) }),
  }

  /** What crosses the bridge is copied: plain data and functions, nothing else. */
  const copy = value => {
    if (typeof value === 'function') return (...args) => copyResult(value(...args.map(copy)))
    if (value instanceof Promise) return value.then(copy)
    if (Array.isArray(value)) return value.map(copy)
    if (value === null || typeof value !== 'object') return value
    if (Object.getPrototypeOf(value) !== Object.prototype) throw new Error('An object could not be cloned.')
    return Object.freeze(Object.fromEntries(Object.entries(value).map(([key, part]) => [key, copy(part)])))
  }
  const copyResult = result => copy(result)

  const contextBridge = {
    exposeInMainWorld: (name, api) => {
      if (name in window) throw new Error(`Cannot bind an API on top of an existing property: ${name}`)
      Object.defineProperty(window, name, { value: copy(api), enumerable: true })
    },
  }

  window.__standInHear = messages => {
    for (const { kind, ...message } of messages) {
      if (kind === 'send') {
        for (const listener of [...(listeners.get(message.channel) ?? [])]) listener({}, ...message.args)
      }
      if (kind === 'port') ports.get(message.port)?.postMessage(message.data)
      if (kind === 'port-closed') {
        const port = ports.get(message.port)
        ports.delete(message.port)
        port?.close()
      }
    }
  }

  void tell({ kind: 'document' })
  const require = name => {
    if (name !== 'electron') throw new Error(`module not found: ${name}`)
    return { contextBridge, ipcRenderer }
  }
  const process = { platform: 'PLATFORM', contextIsolated: true, sandboxed: true }
  const module = { exports: {} }
  // biome-ignore lint/correctness/noUnusedFunctionParameters: the preload uses them
  ;((require, module, exports, process) => {
    PRELOAD_SOURCE
  })(require, module, module.exports, process)
})()
