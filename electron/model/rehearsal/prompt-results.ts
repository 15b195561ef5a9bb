import type { LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'

/** Every tool result so far, in order. */
export function resultsIn(messages: LanguageModelV4Prompt): readonly LanguageModelV4ToolResultPart[] {
  return messages.flatMap(message => (message.role === 'tool' ? message.content.filter(isResult) : []))
}

function isResult(part: { readonly type: string }): part is LanguageModelV4ToolResultPart {
  return part.type === 'tool-result'
}

export function isFailed({ output }: LanguageModelV4ToolResultPart): boolean {
  return output.type === 'error-text' || output.type === 'error-json' || output.type === 'execution-denied'
}

export function resultText(result: LanguageModelV4ToolResultPart | undefined): string {
  const output = result?.output
  switch (output?.type) {
    case 'text':
    case 'error-text':
      return output.value
    case 'content':
      return output.value.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n')
    case 'execution-denied':
      return output.reason ?? ''
    default:
      return output === undefined ? '' : JSON.stringify(output.value)
  }
}
