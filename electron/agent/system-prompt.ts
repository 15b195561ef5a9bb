export interface PromptParts {
  readonly cwd: string
  /** A child answers to the agent that started it, not to a person. */
  readonly isChild: boolean
  readonly persona?: string | undefined
  readonly canDelegate: boolean
}

const BASE = [
  'You are an agent in Espalier, a workbench in which agents delegate to other agents.',
  'Work with the tools you have. Say what you did and what you found, in plain words.',
  'A tool result that reports an error is information: read it and go on.',
]
const CHILD = [
  'You are a delegated agent.',
  'Your task is in the first message. Your last message goes to the agent that started you: make it complete.',
]
const DELEGATION = [
  'Use the delegate tool for work that stands on its own. A one-shot child answers once; a continuable one can be asked again.',
  'The result of a background child comes to you by itself: end your turn instead of waiting in a loop.',
]

/** The system prompt of an agent. Logged with its first request, so that a resume can be checked against it. */
export function systemPrompt({ cwd, isChild, persona, canDelegate }: PromptParts): string {
  return [
    ...BASE,
    ...(isChild ? CHILD : []),
    ...(canDelegate ? DELEGATION : []),
    `Folder: ${cwd}`,
    ...(persona === undefined ? [] : ['', persona]),
  ].join('\n')
}
