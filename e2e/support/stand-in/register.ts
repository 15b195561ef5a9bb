// `node --import` this: whoever imports 'electron' gets the stand-in.
import { registerHooks } from 'node:module'
import process from 'node:process'

const standIn = new URL('./electron.ts', import.meta.url).href
/** The shell around a toy workbench and a toy page, for journeys of the shell alone. */
const toys = process.env['ESPALIER_TOY'] ? ['open-workbench', 'built-page'] : []

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'electron') return { url: standIn, format: 'module-typescript', shortCircuit: true }
    const toy = toys.find(name => specifier.endsWith(`/${name}.ts`) && !specifier.includes('/toy-'))
    if (toy) return { url: new URL(`../toy-${toy}.ts`, import.meta.url).href, shortCircuit: true }
    return next(specifier, context)
  },
})
