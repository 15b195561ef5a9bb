import { textContent } from '#shared/session/content.ts'
import type { ToolOutcome } from './tool.ts'

/** `facts` may be anything of an outcome but its status and text. */
type Facts = Omit<ToolOutcome, 'status' | 'content'>

export function okOutcome(text: string, facts: Facts = {}): ToolOutcome {
  return { status: 'ok', content: textContent(text.toWellFormed()), ...facts }
}

/** `text`: what happened and one thing to do, for the model. */
export function errorOutcome(code: string, text: string, facts: Facts = {}): ToolOutcome {
  return { status: 'error', code, content: textContent(text.toWellFormed()), ...facts }
}
