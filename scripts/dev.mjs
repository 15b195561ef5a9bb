// `npm run dev`: Espalier that follows its sources. With Electron, windows reload in place; without it, the browser
// shell is built again and restarted on every change.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import { buildIfChanged } from './build.mjs'
import { electronBinary } from './electron-binary.mjs'
import { projectRoot } from './packaged-node.mjs'

const args = process.argv.slice(2)
const electronVite = join(projectRoot, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')

if (electronBinary() && !args.includes('--browser')) {
  run(electronVite, 'dev', '--watch', '--', ...args)
} else {
  buildIfChanged()
  run(electronVite, 'build', '--watch', '--logLevel', 'warn')
  run('--watch-path', 'out', join('out', 'main', 'serve.js'), ...args)
}

function run(/** @type {string[]} */ ...nodeArgs) {
  const child = spawn(process.execPath, nodeArgs, { cwd: projectRoot, stdio: 'inherit' })
  process.on('exit', () => child.kill())
  child.on('exit', code => process.exit(code ?? 1))
}
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0))
