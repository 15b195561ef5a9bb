import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Files of `out/`, from a build (flat in `out/main`) as well as from the sources (in `electron/web`). */
function built(path: string): string {
  const places = [new URL(`../${path}`, import.meta.url), new URL(`../../out/${path}`, import.meta.url)]
  const [fromBuild, fromSources] = places.map(place => fileURLToPath(place))
  return (existsSync(fromBuild ?? '') ? fromBuild : fromSources) ?? path
}

/** Holds `index.html` once the renderer is built. */
export function builtPageFolder(): string {
  return built('renderer')
}

export function builtPreload(): string {
  return built('preload/preload.cjs')
}
