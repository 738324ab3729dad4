import type { Tool } from '../tool.ts'
import { globTool } from './glob-tool.ts'
import { grepTool } from './grep-tool.ts'
import { readTool } from './read-tool.ts'
import { editTool, writeTool, type WritingParts } from './write-tool.ts'

/** The model's tools for the Markdown files of the workspace. Everyone who writes must share one workspace. */
export function fileTools(parts: WritingParts): readonly Tool[] {
  const { workspace } = parts
  return [readTool(workspace), writeTool(parts), editTool(parts), globTool(workspace), grepTool(workspace)]
}
