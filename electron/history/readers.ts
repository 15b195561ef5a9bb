import { claudeReader } from './claude/claude-reader.ts'
import type { HistoryReader } from './reader.ts'

/** Every tool whose histories can be imported. */
export const READERS: readonly HistoryReader[] = [claudeReader]
