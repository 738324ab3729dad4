import type { ToolOrigin } from '../tool/tool.ts'

/** ` (skill git)`; nothing for what is built in. */
export function originText(origin: ToolOrigin): string {
  if (origin.kind === 'skill') return ` (skill ${origin.skill})`
  return origin.kind === 'mcp' ? ` (server ${origin.server})` : ''
}
