import { editTool } from './edit.ts'
import { globTool } from './glob.ts'
import { grepTool } from './grep.ts'
import { readTool } from './read.ts'
import { createShellTool, type ShellToolOptions } from './shell.ts'
import { todoTool } from './todo.ts'
import type { Tool } from './tool.ts'
import { writeTool } from './write.ts'

/** Files, shell and task list: what every agent has before presets and delegation add or take away. */
export function createBuiltInTools(options: ShellToolOptions): readonly Tool[] {
  return [readTool, globTool, grepTool, editTool, writeTool, createShellTool(options), todoTool]
}
