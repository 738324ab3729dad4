import type { ActTool } from '../agent/contract/act.ts'
import type { McpState } from '../mcp/client.ts'
import { oneLine, shorten } from '../base/width.ts'
import { counted } from '../base/words.ts'
import { judge, type Grant, type PermissionMode } from '../permission/judge.ts'
import { originText } from '../permission/origin-text.ts'
import { patternText } from '../permission/pattern.ts'
import type { Tool, ToolOrigin } from '../tool/tool.ts'

export interface ToolsLook {
  readonly tools: readonly (Tool | ActTool)[]
  readonly grants: readonly Grant[]
  readonly mode: PermissionMode
}

/** Every tool, with what would become of a call. Programs rely on the names. */
export function toolsView(look: ToolsLook & { readonly servers: readonly McpState[] }) {
  return {
    mode: look.mode,
    tools: look.tools.map((tool) => ({
      name: tool.spec.name,
      origin: tool.nature.origin,
      fate: fateOf(tool, look),
      description: tool.spec.description,
      parameters: tool.spec.parameters,
    })),
    servers: look.servers,
    grants: look.grants.map((grant) => grantView(grant, look.tools)),
  }
}

/** A grant counts as long as its tool is as it was: `gone`, there is no such tool now. */
export function grantView({ pattern, fingerprint }: Grant, tools: ToolsLook['tools']) {
  const nature = tools.find(({ spec }) => spec.name === pattern.tool)?.nature
  const isSame = (nature?.fingerprint ?? null) === fingerprint
  const state = nature === undefined ? 'gone' : isSame ? 'standing' : 'changed'
  return { pattern: patternText(pattern), origin: nature?.origin ?? null, state } as const
}

type ToolRow = ReturnType<typeof toolsView>['tools'][number]

const WIDTH = 78

/** By where they come from, each with what would become of a call and what it is for. */
export function toolsText(look: Parameters<typeof toolsView>[0] & { readonly isOwner: boolean }): string {
  const view = toolsView(look)
  const groups = Map.groupBy(view.tools, ({ origin }) => groupOf(origin))
  const lines = [...groups].flatMap(([group, tools]) => [
    '',
    `${group}, ${counted(tools.length, 'tool')}:`,
    ...rows(tools),
  ])
  const servers = view.servers.map(
    ({ server, state, tools, problem }) =>
      `  ${server}: ${STATES[state]}, ${counted(tools, 'tool')}${problem === undefined ? '' : `; ${problem}`}`,
  )
  return [
    `Tools (permissions: ${view.mode}).`,
    ...lines,
    ...(servers.length === 0 ? [] : ['', 'Servers:', ...servers]),
    '',
    look.isOwner
      ? '/tools NAME shows one, /allow PATTERN allows it, /permissions changes the mode.'
      : '/tools NAME shows one. The owner decides about calls that ask.',
  ].join('\n')
}

const STATES: Readonly<Record<McpState['state'], string>> = {
  connected: 'connected',
  'not connected': 'starts with the next call',
  down: 'down',
}

function groupOf(origin: ToolOrigin): string {
  switch (origin.kind) {
    case 'built-in':
      return 'Built in'
    case 'skill':
      return `Skill ${origin.skill}`
    case 'mcp':
      return `Server ${origin.server}`
  }
}

function rows(tools: readonly ToolRow[]): string[] {
  const nameWidth = Math.max(...tools.map(({ name }) => name.length))
  const fateWidth = Math.max(...tools.map(({ fate }) => fate.length))
  return tools.map(({ name, fate, description }) => {
    const start = `  ${name.padEnd(nameWidth)}  ${fate.padEnd(fateWidth)}  `
    // The group says already of which server it is.
    const words = oneLine(description).replace(/^\(server [^)]*\) /, '')
    return `${start}${shorten(words, Math.max(16, WIDTH - start.length))}`.trimEnd()
  })
}

/** Tools that only propose something. */
const PROPOSES: ReadonlySet<string> = new Set(['remember'])

/** What would become of a call for which nobody wrote a narrower pattern. */
function fateOf({ spec, nature }: Tool | ActTool, { grants, mode }: ToolsLook): string {
  const general = { subject: '', pattern: spec.name, isComposed: false, canAsk: true }
  const question = { mode, tool: spec.name, nature, grants, ...general }
  const verdict = judge(question)
  if (PROPOSES.has(spec.name)) return 'asks you'
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
