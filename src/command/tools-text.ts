import type { ActTool } from '../agent/act.ts'
import { counted } from '../base/words.ts'
import { judge, type Grant, type PermissionMode } from '../permission/judge.ts'
import { patternText } from '../permission/pattern.ts'
import type { Tool, ToolOrigin } from '../tool/tool.ts'
import type { ServerState } from './desk.ts'

export interface ToolsLook {
  readonly tools: readonly (Tool | ActTool)[]
  readonly grants: readonly Grant[]
  readonly mode: PermissionMode
}

/** ` (skill git)`; nothing for what is built in. */
export function originText(origin: ToolOrigin): string {
  if (origin.kind === 'skill') return ` (skill ${origin.skill})`
  return origin.kind === 'mcp' ? ` (server ${origin.server})` : ''
}

export function toolsText(look: ToolsLook & { readonly servers: readonly ServerState[] }): string {
  const width = Math.max(...look.tools.map(({ spec }) => spec.name.length))
  const lines = look.tools.map((tool) => {
    const { name } = tool.spec
    return `  ${name.padEnd(width)}  ${fateOf(tool, look)}${originText(tool.nature.origin)}`
  })
  const servers = look.servers.map(
    ({ server, state, tools, problem }) =>
      `  ${server}: ${state}, ${counted(tools, 'tool')}${problem === undefined ? '' : `; ${problem}`}`,
  )
  return [
    `What the model can do (permissions ${look.mode}):`,
    ...lines,
    ...(servers.length === 0 ? [] : ['Servers:', ...servers]),
    '/tools NAME shows one, /allow PATTERN allows it, /permissions changes the mode.',
  ].join('\n')
}

/** What would become of a call for which nobody wrote a narrower pattern. */
function fateOf({ spec, nature }: Tool | ActTool, { grants, mode }: ToolsLook): string {
  const question = { mode, tool: spec.name, nature, subject: '', pattern: spec.name, grants, canAsk: true }
  const verdict = judge(question)
  if (verdict.kind === 'allowed') return verdict.because === 'granted' ? 'allowed' : 'runs'
  const partly = grants.filter(({ pattern }) => pattern.tool === spec.name && pattern.glob !== null)
  const some =
    partly.length === 0 ? '' : `, but ${partly.map(({ pattern }) => patternText(pattern)).join(', ')} runs`
  if (verdict.kind === 'ask') return `asks${some}`
  return `${verdict.because === 'changed' ? 'refused: changed since it was allowed' : 'refused'}${some}`
}

export function toolText(tool: Tool | ActTool, look: ToolsLook): string {
  const { spec, nature } = tool
  return [
    `${spec.name}${originText(nature.origin)}: ${fateOf(tool, look)}`,
    spec.description,
    JSON.stringify(spec.parameters, null, 2),
  ].join('\n')
}
