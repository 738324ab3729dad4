import { type ActTool, ok, refusal } from '../../agent/contract/act.ts'
import { grantsIn, grantTools } from '../../agent/state/approvals.ts'
import { nearest } from '../../base/nearest.ts'
import { capital, sentence } from '../../base/words.ts'
import { permissionModes, type Grant, type PermissionMode } from '../../permission/judge.ts'
import { parsePattern, patternText, type Pattern } from '../../permission/pattern.ts'
import type { Tool } from '../../tool/tool.ts'
import { quotable } from '../read/arguments.ts'
import type { Commands, Desk, Work } from '../desk/desk.ts'
import { originText } from '../../permission/origin-text.ts'
import { grantView } from '../../view/tools-text.ts'

export const permissionCommands: Commands<'allow' | 'disallow' | 'permissions'> = {
  allow: (desk, { command: { text } }) => {
    if (text === null) return { look: (reader) => ok(allowedText(grantsIn(reader).map(grantLine(desk)))) }
    const family = toolsOf(desk, text.trim())
    if (family !== undefined) return allowAll(family)
    const pattern = parsePattern(text)
    if ('problem' in pattern) return refusal(pattern.problem)
    const tool = desk.tools().find(({ spec }) => spec.name === pattern.tool)
    if (tool === undefined) return refusal(unknownTool(desk, pattern.tool))
    const misfit = neverFits(pattern)
    if (misfit !== undefined) return refusal(misfit)
    return (writing, { branch, at, author }) => {
      const words = patternText(pattern)
      const fingerprint = tool.nature.fingerprint ?? null
      writing.append({ kind: 'permission-granted', branch, at, pattern: words, fingerprint, author })
      return ok(
        `Allowed: ${words}${originText(tool.nature.origin)}. /disallow ${words} undoes it.${unseen([tool])}`,
      )
    }
  },

  disallow: (_, order) => {
    const pattern = order.command.text.trim()
    return (writing, { branch, at, author }) => {
      const known = grantsIn(writing).map((grant) => patternText(grant.pattern))
      if (!known.includes(pattern)) {
        const near = nearest(pattern, known)
        const meant = near === undefined ? '/allow lists what is allowed.' : `Did you mean /disallow ${near}?`
        return refusal(`'${quotable(pattern)}' is not allowed. ${meant}`)
      }
      writing.append({ kind: 'permission-revoked', branch, at, pattern, author })
      return ok(`No longer allowed: ${pattern}.`)
    }
  },

  permissions: async (desk, { command: { mode: word } }) => {
    const now = desk.settings().permissions
    if (word === null) return ok(modesText(now))
    const mode = permissionModes.find((known) => known === word)
    if (mode === undefined) {
      const near = nearest(word, permissionModes)
      const meant = near === undefined ? `The modes: ${permissionModes.join(', ')}.` : `Did you mean ${near}?`
      return refusal(`There is no mode '${quotable(word)}'. ${meant}`)
    }
    const problem = await desk.configure('permissions', mode)
    return problem === undefined
      ? ok(`Permission mode is now ${mode} (was ${now}). ${capital(MEANINGS[mode])}.`)
      : refusal(`${sentence(problem)}\nPermission mode is still ${now}.`)
  },
}

/** The tools of the skill or server of this name, if no tool has the name. */
function toolsOf(desk: Desk, name: string): readonly (Tool | ActTool)[] | undefined {
  const tools = desk.tools()
  if (tools.some(({ spec }) => spec.name === name)) return undefined
  const own = tools.filter(({ nature: { origin } }) =>
    origin.kind === 'skill' ? origin.skill === name : origin.kind === 'mcp' && origin.server === name,
  )
  return own.length === 0 ? undefined : own
}

/** Grants each tool by name, as it is now: tools that are added later are not allowed by this. */
export function allowAll(tools: readonly (Tool | ActTool)[]): Work {
  return (writing, actor) => {
    grantTools(writing, tools, actor)
    const [first] = tools
    const origin = first === undefined ? '' : originText(first.nature.origin)
    return ok(`Allowed: ${tools.map(({ spec }) => spec.name).join(', ')}${origin}.${unseen(tools)}`)
  }
}

function unseen(tools: readonly (Tool | ActTool)[]): string {
  return tools.some(({ nature }) => nature.told !== undefined)
    ? ' /reload shows the model what it is for.'
    : ''
}

/** A pattern for web_fetch is compared with the whole address, from its scheme on. */
function neverFits({ tool, glob }: Pattern): string | undefined {
  if (tool !== 'web_fetch' || glob === null || /^(?:\*|https?:)/.test(glob)) return undefined
  const host = glob.replace(/\/.*$/s, '')
  return `No address begins with '${quotable(glob)}'. Did you mean /allow web_fetch(https://${quotable(host)}/*)?`
}

function grantLine(desk: Desk): (grant: Grant) => string {
  return (grant) => {
    const { pattern, origin, state } = grantView(grant, desk.tools())
    return `${pattern}${origin === null ? '' : originText(origin)}${GRANT_NOTES[state]}`
  }
}

const GRANT_NOTES = {
  standing: '',
  gone: '  (no such tool now)',
  changed: '  (changed since: allow it again)',
}

function allowedText(lines: readonly string[]): string {
  if (lines.length === 0)
    return 'Nothing is allowed yet. /tools shows what may run anyway; /allow PATTERN allows more.'
  return ['Allowed:', ...lines.map((line) => `  ${line}`), '/disallow PATTERN undoes one.'].join('\n')
}

export function unknownTool(desk: Desk, name: string): string {
  const names = desk.tools().map(({ spec }) => spec.name)
  const report = desk.skills().reports.find((one) => one.name === name)
  if (report !== undefined)
    return `'${name}' is a skill ${report.because === null ? 'without tools of its own' : `that is not loaded: ${report.because}`}`
  const near = nearest(name, names)
  const meant = near === undefined ? '/tools lists them.' : `Did you mean ${near}?`
  return `There is no tool '${quotable(name)}'. ${meant}`
}

const MEANINGS: Readonly<Record<PermissionMode, string>> = {
  dontAsk: 'built-in tools run, others only if you allowed them',
  default: 'asks before writing files, reaching the web or running a program',
  acceptEdits: 'asks before reaching the web or running a program; may write files',
  bypassPermissions: 'everything runs; never asks',
}

function modesText(now: PermissionMode): string {
  const width = Math.max(...permissionModes.map((mode) => mode.length))
  const lines = permissionModes.map(
    (mode) => `${mode === now ? '>' : ' '} ${mode.padEnd(width)}  ${MEANINGS[mode]}`,
  )
  return [`Permission mode is ${now}.`, ...lines, '/permissions MODE changes it.'].join('\n')
}
