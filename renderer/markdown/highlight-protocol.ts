import type { CodeClass } from './code-theme.ts'

export interface HighlightRequest {
  readonly id: number
  readonly language: string
  readonly code: string
}

/** A run of one class within a line. */
export type CodePiece = readonly [text: string, className: CodeClass]
export type CodeLines = readonly (readonly CodePiece[])[]

/** `null`: no grammar for that language, or it failed on this text. The code stays plain. */
export interface HighlightResponse {
  readonly id: number
  readonly lines: CodeLines | null
}
