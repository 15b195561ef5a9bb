import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { ScriptedRequest, ScriptedStep } from '../model/scripted-model.ts'

/** What a message can ask an agent to play. Together they reach every kind of work that a death can cut off. */
export const SCENES = [
  'talk',
  'lecture',
  'shell',
  'write',
  'parallel',
  'child',
  'children',
  'background',
  'continuable',
  'reporter',
  'nested',
  'inherit',
  'tell',
  'flood',
] as const
export type Scene = (typeof SCENES)[number]

/** One line for each time that a command of the model ran, in the folder that agents work in. Files tell of `write`. */
export const EFFECTS_FILE = 'effects.txt'
/** Prints more than one part of an output. */
const FLOOD = 'seq 1 90000'
/** What that prints, whole. */
export const FLOODED = Array.from({ length: 90_000 }, (_, index) => `${index + 1}\n`).join('')
const MARKER = /#(m\d+c\d+)/g

/** A message that asks for a scene. `marker`: finds it again, wherever it went. */
export function direction(marker: string, scene: Scene): string {
  return `#${marker} play:${scene}`
}

/** The last marker in what a model was asked, `null` for words without one. */
export function markerOf(text: string): string | null {
  return [...text.matchAll(MARKER)].at(-1)?.[1] ?? null
}

export function effectCommand(marker: string): string {
  return `echo ${marker} >> ${EFFECTS_FILE} && sleep 0.01 && echo done`
}

/** The marker that a call of ours leaves in the world, `null` for one without an effect. */
export function effectOf(name: string, input: unknown): string | null {
  const leaves = name === 'shell' ? /echo (m\d+c\d+) >>/ : name === 'write' ? /"(m\d+c\d+)\.txt"/ : null
  return leaves?.exec(JSON.stringify(input))?.[1] ?? null
}

/** Plays what the last message asks for: its calls first, words when they are answered. */
export function play({ prompt, lastUserText }: ScriptedRequest, mint: () => string): ScriptedStep | string {
  const scene = /play:(\w+)/.exec(lastUserText)?.[1]
  const results = resultsSince(prompt)
  if (results.length > 0) return scene === 'tell' && results.length === 1 ? tell(results[0], mint) : 'Done.'
  const delegate = (part: Scene, input: object = {}) => ({
    name: 'delegate',
    input: { description: `The ${part} part`, prompt: direction(mint(), part), ...input },
  })
  const shell = () => ({ name: 'shell', input: { command: effectCommand(mint()) } })
  const write = () => ({ name: 'write', input: { path: `${mint()}.txt`, content: 'Seven posts.\n' } })
  const read = { name: 'read', input: { path: 'wall.md' } }
  switch (scene) {
    case 'lecture':
      return { reasoning: 'A long one.', text: 'The posts stand in concrete. '.repeat(400) }
    case 'shell':
      return { text: 'I run it.', calls: [shell(), shell()] }
    case 'write':
      return { calls: [write(), { name: 'todo', input: { items: [{ content: 'Dig', status: 'pending' }] } }] }
    case 'parallel':
      return { calls: [read, read, shell(), write(), { name: 'glob', input: { pattern: '*.md' } }, read] }
    case 'child':
      return { calls: [delegate('shell')] }
    case 'children':
      return { calls: [delegate('write'), delegate('parallel')] }
    case 'background':
      return { calls: [delegate('shell', { background: true })] }
    case 'continuable':
      return { calls: [delegate('reporter', { mode: 'continuable', agent: 'general' })] }
    case 'reporter':
      return { calls: [{ name: 'report', input: { output: 'Half of it stands.' } }, shell()] }
    case 'nested':
      return { calls: [delegate('children', { mode: 'continuable', agent: 'writer', background: false })] }
    case 'inherit':
      return { calls: [delegate('shell', { context: 'inherit', background: true })] }
    case 'tell':
      return { calls: [{ name: 'list_agents', input: {} }] }
    case 'flood':
      return { calls: [{ name: 'shell', input: { command: FLOOD } }] }
    default:
      return { reasoning: 'Seven posts.', text: 'Seven posts, and a gate between the third and the fourth.' }
  }
}

function tell(listed: unknown, mint: () => string): ScriptedStep | string {
  const id = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(JSON.stringify(listed))?.[0]
  if (id === undefined) return 'There is nobody.'
  return { calls: [{ name: 'send_message', input: { agent_id: id, message: direction(mint(), 'shell') } }] }
}

/** What tools answered since somebody spoke. */
function resultsSince(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  return prompt
    .slice(prompt.findLastIndex(({ role }) => role === 'user'))
    .filter(({ role }) => role === 'tool')
}
