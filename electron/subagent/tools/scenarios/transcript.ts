import type { LanguageModelV4Message } from '@ai-sdk/provider'
import type { ScriptedRequest } from '../../../model/scripted-model.ts'

/** For tests: everything a model was given by its last request, as text that a person can read through. */
export function transcriptOf({ options, prompt }: ScriptedRequest, toolNames: readonly string[]): string {
  const tools = (options.tools ?? []).filter(({ name }) => toolNames.includes(name))
  return [...tools.map(toolText), ...prompt.flatMap(messageText)].join('\n\n').concat('\n')
}

function toolText(tool: NonNullable<ScriptedRequest['options']['tools']>[number]): string {
  if (tool.type !== 'function') throw new Error(`${tool.name} is not a function`)
  const { required = [], properties = {} } = tool.inputSchema
  const parameters = Object.entries(properties).map(([name, schema]) => {
    const { type, description, enum: values, ...rest } = schema as Record<string, unknown>
    const kind = Array.isArray(values) ? values.join(' | ') : String(type)
    const preset = 'default' in rest ? `, default ${String(rest['default'])}` : ''
    const optional = required.includes(name) ? '' : '?'
    return `  ${name}${optional}: ${kind}${preset}${description === undefined ? '' : ` (${description})`}`
  })
  return [`[tool] ${tool.name}: ${tool.description}`, ...parameters].join('\n')
}

function messageText(message: LanguageModelV4Message): string[] {
  if (message.role === 'system') return []
  return message.content.map(part => {
    switch (part.type) {
      case 'text':
        return `[${message.role}]\n${part.text}`
      case 'tool-call':
        return `[${message.role} calls ${part.toolName}]\n${JSON.stringify(part.input)}`
      case 'tool-result':
        return `[${part.toolName} answers]\n${outputText(part.output)}`
      default:
        throw new Error(`the transcript has no words for ${part.type}`)
    }
  })
}

function outputText(output: { readonly type: string; readonly value?: unknown }): string {
  const { type, value } = output
  if (typeof value === 'string') return type.startsWith('error') ? `(error) ${value}` : value
  return JSON.stringify(value)
}
