import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'

/** The system texts of a prompt, in order. */
export function systemText(prompt: LanguageModelV4Prompt): string {
  return prompt.flatMap(message => (message.role === 'system' ? [message.content] : [])).join('\n\n')
}

/** The text of a user's or an assistant's message, blocks apart by a blank line; empty for other roles. */
export function messageText(message: LanguageModelV4Message): string {
  if (message.role !== 'user' && message.role !== 'assistant') return ''
  return message.content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n\n')
}

/** Empty when nobody has said anything yet. */
export function lastUserText(prompt: LanguageModelV4Prompt): string {
  const last = prompt.findLast(message => message.role === 'user')
  return last === undefined ? '' : messageText(last)
}
