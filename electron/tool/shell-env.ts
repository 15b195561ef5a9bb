import { delimiter } from 'node:path'

/** Keys of model providers and Espalier's own variables: a command has no business with them. */
const HIDDEN =
  /^(?:ESPALIER_.*|ELECTRON_.*|(?:ANTHROPIC|OPENAI|GEMINI|GOOGLE_GENERATIVE_AI|DEEPSEEK|OPENROUTER)_.*(?:KEY|TOKEN))$/
/** What npm adds when it starts Espalier: it would change what a command does. */
const NPM = /^(?:npm_.*|INIT_CWD|NODE_ENV)$/
const NPM_PATH = /[\\/](?:node_modules[\\/]\.bin|node-gyp-bin)[\\/]?$/

/** The environment of a command: the person's own, without secrets and traces of Espalier, never waiting for a key. */
export function shellEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const underNpm = env['npm_lifecycle_event'] !== undefined
  const kept = Object.entries(env).filter(([name]) => !HIDDEN.test(name) && !(underNpm && NPM.test(name)))
  const path = (env['PATH'] ?? '').split(delimiter).filter(entry => !underNpm || !NPM_PATH.test(entry))
  return {
    ...Object.fromEntries(kept),
    ...(env['PATH'] === undefined ? {} : { PATH: path.join(delimiter) }),
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    PAGER: 'cat',
  }
}
