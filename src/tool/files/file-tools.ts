import type { Tool } from '../tool.ts'
import { globTool } from './glob-tool.ts'
import { grepTool } from './grep-tool.ts'
import { readTool } from './read-tool.ts'
import { editTool, writeTool, type WritingParts } from './write-tool.ts'

/** What a model can do with the Markdown files of the workspace. Open one workspace for all who write to it. */
export function fileTools(parts: WritingParts): readonly Tool[] {
  const { workspace } = parts
  return [readTool(workspace), writeTool(parts), editTool(parts), globTool(workspace), grepTool(workspace)]
}
