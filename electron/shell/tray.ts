import { app, Menu, nativeImage, Tray } from 'electron'

const SIZE = 16

/** In the system's tray while no window is open but agents still work. */
export class BackgroundTray {
  #tray: Tray | null = null
  readonly #show: () => void

  constructor(show: () => void) {
    this.#show = show
  }

  appear(): void {
    if (this.#tray) return
    this.#tray = new Tray(glyph())
    this.#tray.setToolTip('Espalier: agents are working')
    this.#tray.on('click', this.#show)
    this.#tray.setContextMenu(
      Menu.buildFromTemplate([
        { label: 'Open Espalier', click: this.#show },
        { label: 'Quit', click: () => app.quit() },
      ]),
    )
  }

  vanish(): void {
    this.#tray?.destroy()
    this.#tray = null
  }
}

/** A trunk with four branches, drawn here so that no file can be missing. BGRA. */
function glyph() {
  const pixels = Buffer.alloc(SIZE * SIZE * 4)
  const ink = (x: number, y: number) => pixels.set([0x4f, 0x8a, 0x3c, 0xff], (y * SIZE + x) * 4)
  for (let y = 1; y < SIZE - 1; y += 1) for (const x of [7, 8]) ink(x, y)
  for (let x = 2; x < SIZE - 2; x += 1) for (const y of [3, 7, 11]) ink(x, y)
  return nativeImage.createFromBitmap(pixels, { width: SIZE, height: SIZE })
}
