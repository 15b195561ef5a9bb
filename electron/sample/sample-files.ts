import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** A made-up garden: notes that the rehearsal's agents really search. */
const FILES: Readonly<Record<string, string>> = {
  'README.md': `# A garden wall

Everything in this folder is made up. Espalier's sample agents read and write here.
`,
  'notes/wall.md': `# The wall

- South side: ten metres, 1.80 m high, two copings by the shed are loose.
- West side: three metres, shaded until noon, leans a little.
- Posts stand every 1.80 m along the south side.
`,
  'notes/trees.md': `# Wishes

Pears on the south side, trained flat. Quince A is said to stay small as a rootstock.
Nothing that needs spraying.
`,
  'notes/prices.csv': `item,unit,price
galvanised wire 3 mm,metre,0.69
straining bolt,piece,1.85
oak post,piece,24.00
`,
  'src/rows.ts': `/** How many wires fit below the coping, in metres. */
export function rows(height: number): number {
  return Math.floor((height - 0.45) / 0.35)
}
`,
}

export async function writeSampleFiles(folder: string): Promise<void> {
  for (const [name, text] of Object.entries(FILES)) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(path, text, { mode: 0o600 })
  }
}
