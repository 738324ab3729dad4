import type { ToolOrigin } from '../tool/tool.ts'

/** ` (skill git)`; empty for built-in tools. */
export function originText(origin: ToolOrigin): string {
  if (origin.kind === 'skill') return ` (skill ${origin.skill})`
  return origin.kind === 'mcp' ? ` (server ${origin.server})` : ''
}
