import { type Said, ok, refusal } from '../../agent/contract/act.ts'
import type { ActTool } from '../../agent/contract/act.ts'
import { grantsIn, grantTools } from '../../agent/state/approvals.ts'
import { nearest } from '../../base/nearest.ts'
import { sentence } from '../../base/words.ts'
import { permissionModes, type PermissionMode } from '../../permission/judge.ts'
import { parsePattern, patternText, type Pattern } from '../../permission/pattern.ts'
import type { Tool } from '../../tool/tool.ts'
import { quotable } from '../read/arguments.ts'
import { conclude, concludeLook, type Desk, type OrderOf } from '../desk/desk.ts'
import { originText } from '../../permission/origin-text.ts'

export function runAllow(desk: Desk, order: OrderOf<'allow'>): Promise<Said | undefined> {
  const { text } = order.command
  if (text === null)
    return concludeLook(desk, order, (reader) => ok(allowedText(grantsIn(reader).map(grantLine(desk)))))
  const family = toolsOf(desk, text.trim())
  if (family !== undefined) return allowAll(desk, order, family)
  const pattern = parsePattern(text)
  if ('problem' in pattern) return conclude(desk, order, () => refusal(pattern.problem))
  const tool = desk.tools().find(({ spec }) => spec.name === pattern.tool)
  const misfit = tool === undefined ? unknownTool(desk, pattern.tool) : neverFits(pattern)
  if (tool === undefined || misfit !== undefined) return conclude(desk, order, () => refusal(misfit ?? ''))
  return conclude(desk, order, (writing, { branch, at, author }) => {
    const words = patternText(pattern)
    const fingerprint = tool.nature.fingerprint ?? null
    writing.append({ kind: 'permission-granted', branch, at, v: 1, pattern: words, fingerprint, author })
    return ok(`Allowed: ${words}${originText(tool.nature.origin)}. /disallow ${words} undoes it.`)
  })
}

/** The tools of the skill or server of this name, where no tool is called so. */
function toolsOf(desk: Desk, name: string): readonly (Tool | ActTool)[] | undefined {
  const tools = desk.tools()
  if (tools.some(({ spec }) => spec.name === name)) return undefined
  const own = tools.filter(({ nature: { origin } }) =>
    origin.kind === 'skill' ? origin.skill === name : origin.kind === 'mcp' && origin.server === name,
  )
  return own.length === 0 ? undefined : own
}

/** Each by its own name, as it is now: what comes to them later is not allowed by this. */
export function allowAll(
  desk: Desk,
  order: OrderOf<'allow' | 'skills'>,
  tools: readonly (Tool | ActTool)[],
): Promise<Said | undefined> {
  return conclude(desk, order, (writing, actor) => {
    grantTools(writing, tools, actor)
    const [first] = tools
    const origin = first === undefined ? '' : originText(first.nature.origin)
    return ok(`Allowed: ${tools.map(({ spec }) => spec.name).join(', ')}${origin}.`)
  })
}

/** Of an address a pattern sees all, from its scheme on. */
function neverFits({ tool, glob }: Pattern): string | undefined {
  if (tool !== 'web_fetch' || glob === null || /^(?:\*|https?:)/.test(glob)) return undefined
  const host = glob.replace(/\/.*$/s, '')
  return `No address begins with '${quotable(glob)}'. Did you mean /allow web_fetch(https://${quotable(host)}/*)?`
}

function grantLine(desk: Desk): (grant: { pattern: Pattern; fingerprint: string | null }) => string {
  return ({ pattern, fingerprint }) => {
    const tool = desk.tools().find(({ spec }) => spec.name === pattern.tool)
    if (tool === undefined) return `${patternText(pattern)}  (no such tool now)`
    const isStanding = fingerprint === (tool.nature.fingerprint ?? null)
    const origin = originText(tool.nature.origin)
    return `${patternText(pattern)}${origin}${isStanding ? '' : '  (changed since: allow it again)'}`
  }
}

function allowedText(lines: readonly string[]): string {
  if (lines.length === 0)
    return 'Nothing is allowed yet. /tools shows what may run anyway; /allow PATTERN allows more.'
  return ['Allowed:', ...lines.map((line) => `  ${line}`), '/disallow PATTERN undoes one.'].join('\n')
}

function unknownTool(desk: Desk, name: string): string {
  const names = desk.tools().map(({ spec }) => spec.name)
  const report = desk.skills().reports.find((one) => one.name === name)
  if (report !== undefined)
    return `'${name}' is a skill ${report.because === null ? 'without tools of its own' : `that is not loaded: ${report.because}`}`
  const near = nearest(name, names)
  const meant = near === undefined ? '/tools lists them.' : `Did you mean ${near}?`
  return `There is no tool '${quotable(name)}'. ${meant}`
}

export function runDisallow(desk: Desk, order: OrderOf<'disallow'>): Promise<Said | undefined> {
  const asked = order.command.text.trim()
  return conclude(desk, order, (writing, { branch, at, author }) => {
    const known = grantsIn(writing).map(({ pattern }) => patternText(pattern))
    if (!known.includes(asked)) {
      const near = nearest(asked, known)
      const meant = near === undefined ? '/allow lists what is allowed.' : `Did you mean /disallow ${near}?`
      return refusal(`'${quotable(asked)}' is not allowed. ${meant}`)
    }
    writing.append({ kind: 'permission-revoked', branch, at, v: 1, pattern: asked, author })
    return ok(`No longer allowed: ${asked}.`)
  })
}

const MEANINGS: Readonly<Record<PermissionMode, string>> = {
  dontAsk: 'built-in tools run, others only if you allowed them; never asks',
  default: 'asks before writing files, reaching the web or running a program',
  acceptEdits: 'asks before reaching the web or running a program; may write files',
  bypassPermissions: 'everything runs; never asks',
}

export async function runPermissions(desk: Desk, order: OrderOf<'permissions'>): Promise<Said | undefined> {
  const { mode: word } = order.command
  const now = desk.settings().permissions
  if (word === null) return conclude(desk, order, () => ok(modesText(now)))
  const mode = permissionModes.find((known) => known.toLowerCase() === word.toLowerCase())
  if (mode === undefined) {
    const near = nearest(word, permissionModes)
    const meant = near === undefined ? `The modes: ${permissionModes.join(', ')}.` : `Did you mean ${near}?`
    return conclude(desk, order, () => refusal(`There is no mode '${quotable(word)}'. ${meant}`))
  }
  // Whoever holds a phone that is not locked must not be able to let everything run at home.
  const isHere = order.source.channel === 'terminal' && desk.isAttended(order.source)
  if (mode === 'bypassPermissions' && !isHere)
    return conclude(desk, order, () => refusal('bypassPermissions can only be set in the terminal.'))
  const problem = await desk.configure('permissions', mode)
  return conclude(desk, order, () =>
    problem === undefined
      ? ok(`Permissions are ${mode} from the next call on (were ${now}): ${MEANINGS[mode]}.`)
      : refusal(`${sentence(problem)}\nPermissions are still ${now}.`),
  )
}

function modesText(now: PermissionMode): string {
  const width = Math.max(...permissionModes.map((mode) => mode.length))
  const lines = permissionModes.map(
    (mode) => `${mode === now ? '>' : ' '} ${mode.padEnd(width)}  ${MEANINGS[mode]}`,
  )
  return [`Permissions are ${now}.`, ...lines, '/permissions MODE changes it.'].join('\n')
}
