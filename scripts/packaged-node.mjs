// Where the project is, and the Node that the `node` package brings.
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

export const projectRoot = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '')

const binary = process.platform === 'win32' ? 'node.exe' : 'node'
/**
 * For every Node that hosts a workbench. A small young generation and an old one that is collected before it has doubled
 * keep memory flat while agents work, at no cost in speed that could be measured. What V8 guesses to live long it puts where
 * collecting is dear: folding many logs then takes half as long again, in some processes and not in others. Protection
 * keys abort a process with worker threads now and then (nodejs/node#64500).
 */
export const hostFlags = [
  '--max-semi-space-size=4',
  '--heap-growing-percent=40',
  '--no-allocation-site-pretenuring',
  '--no-memory-protection-keys',
]

/** Compiled code is kept beside the build and goes with it: a start takes a tenth less. */
export const compileCache = join(projectRoot, 'out', 'compile-cache')
export const hostEnvironment = { NODE_COMPILE_CACHE: compileCache, ...process.env }

export const packagedNode = join(projectRoot, 'node_modules', 'node', 'bin', binary)
