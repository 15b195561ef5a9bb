import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { messageText, systemText } from '../prompt-text.ts'
import { isNotice } from './prompt-children.ts'
import { factsOf, type PromptFacts } from './prompt-facts.ts'
import type { Part, Script, Step } from './script.ts'

/** The line that the system prompt of every child holds. */
const CHILD_MARK = 'You are a delegated agent.'

export interface NextStep {
  readonly step: Step
  readonly facts: PromptFacts
}

/**
 * What comes next in this conversation, found in the prompt alone: it is read from its first message on, step by step, as it
 * would have been played. So a restart, a resume or a second model object changes nothing.
 */
export function nextStep(
  scripts: readonly Script[],
  prompt: LanguageModelV4Prompt,
  tools: ReadonlySet<string>,
): NextStep {
  const messages = prompt.filter(message => message.role !== 'system')
  const { part, from } = choosePart(scripts, messages, systemText(prompt).includes(CHILD_MARK))
  const own = messages.slice(from)
  const starts = turnStarts(own)
  const turnStart = starts.at(-1) ?? 0
  const steps = stepsOf(part, own, starts.length, turnStart).filter(step => canPlay(step, tools))
  const spoken = [...own.keys()].filter(index => index > turnStart && own[index]?.role === 'assistant')
  let position = 0
  let facts = factsOf(own, turnStart)
  let step: Step | undefined
  for (const index of [...spoken, own.length]) {
    facts = factsOf(own.slice(0, index), turnStart)
    const found = steps.findIndex((candidate, at) => at >= position && holds(candidate, facts))
    step = steps[found]
    position = found === -1 ? steps.length : found + 1
  }
  return { step: step ?? DONE, facts }
}

const DONE: Step = {
  text: 'That is all this rehearsal has to say here. Write again, or choose a real model.',
}
const NOTHING: Part = { name: 'nothing', who: 'root', first: [DONE] }

interface Chosen {
  readonly part: Part
  /** Index of the message that gave the task: a child made by a fork inherits what stands before. */
  readonly from: number
}

function choosePart(scripts: readonly Script[], messages: LanguageModelV4Prompt, isChild: boolean): Chosen {
  const who = isChild ? 'child' : 'root'
  const parts = scripts.flatMap(script => script.parts).filter(part => part.who === who)
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'user') continue
    const text = messageText(message)
    const part = isNotice(text) ? undefined : parts.find(candidate => isSaid(candidate, text))
    if (part !== undefined) return { part, from: isChild ? index : 0 }
    if (!isChild) break
  }
  return { part: parts.find(({ says }) => says === undefined) ?? NOTHING, from: 0 }
}

function isSaid({ says }: Part, text: string): boolean {
  const lower = text.toLowerCase()
  return says?.some(phrase => lower.includes(phrase.toLowerCase())) === true
}

/** A turn begins with the first message and with every one after an answer without calls. */
function turnStarts(messages: LanguageModelV4Prompt): readonly number[] {
  const starts: number[] = []
  let isOver = true
  for (const [index, message] of messages.entries()) {
    if (message.role === 'user' && isOver) {
      starts.push(index)
      isOver = false
    }
    if (message.role === 'assistant') isOver = !message.content.some(part => part.type === 'tool-call')
  }
  return starts
}

function stepsOf(part: Part, own: LanguageModelV4Prompt, turns: number, turnStart: number): readonly Step[] {
  if (turns <= 1) return part.first
  const trigger = own[turnStart]
  const isSettled = trigger !== undefined && isNotice(messageText(trigger))
  return (isSettled ? part.settled : undefined) ?? part.later ?? [DONE]
}

function canPlay({ calls }: Step, tools: ReadonlySet<string>): boolean {
  return calls === undefined || calls.some(call => tools.has(call.tool))
}

function holds({ if: condition }: Step, facts: PromptFacts): boolean {
  return condition === undefined || facts.conditions.has(condition)
}
