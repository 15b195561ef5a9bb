// Where the project is, and the Node that the `node` package brings.
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

export const projectRoot = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '')

const binary = process.platform === 'win32' ? 'node.exe' : 'node'
export const packagedNode = join(projectRoot, 'node_modules', 'node', 'bin', binary)
