import process from 'node:process'
import { serveBrowsers } from './web/serve-browsers.ts'

/** The browser shell as a program. The command line calls `serveBrowsers` itself. */
await serveBrowsers(process.argv.slice(2))
