import type { ToolNature } from '../tool/tool.ts'
import { fits, patternText, type Pattern } from './pattern.ts'

export const permissionModes = ['dontAsk', 'default', 'acceptEdits', 'bypassPermissions'] as const
export type PermissionMode = (typeof permissionModes)[number]

/** The mode for guests' calls when the owner's is this one: at most `default`. */
export function modeForGuests(mode: PermissionMode): PermissionMode {
  return mode === 'dontAsk' ? mode : 'default'
}

/** A person's grant, and the tool's nature at that time. */
export interface Grant {
  readonly pattern: Pattern
  readonly fingerprint: string | null
}

export interface CallQuestion {
  readonly mode: PermissionMode
  readonly tool: string
  readonly nature: ToolNature
  readonly subject: string
  /** What "always" would allow. */
  readonly pattern: string
  readonly grants: readonly Grant[]
  /** It asks an address that nobody gave, and text from elsewhere stands in its prompt: it could carry anything away. */
  readonly isComposed: boolean
  /** Somebody waits for this call and can be asked. */
  readonly canAsk: boolean
}

export type Verdict =
  | { readonly kind: 'allowed'; readonly because: AllowedBecause; readonly pattern: string | null }
  | { readonly kind: 'refused'; readonly because: RefusedBecause }
  | { readonly kind: 'ask'; readonly pattern: string }

export type AllowedBecause = 'built-in' | 'granted' | 'edits-accepted' | 'bypass'
/**
 * `changed`: it was allowed, but the tool does something else now. `not-offered`: not for this kind of branch, whatever
 * anybody allowed. `composed`: nobody gave its address, and nobody can be asked.
 */
export type RefusedBecause =
  | 'not-allowed'
  | 'changed'
  | 'cannot-ask'
  | 'too-long'
  | 'person'
  | 'no-answer'
  | 'not-offered'
  | 'composed'

/** Built in, but not usable until somebody allows it. */
const NOT_BY_ITSELF: ReadonlySet<string> = new Set(['task_create'])

/** Whether a call may run. Only this function decides, and it never trusts what a model says about itself. */
export function judge(question: CallQuestion): Verdict {
  const { mode, tool, nature, subject, grants } = question
  if (mode === 'bypassPermissions') return { kind: 'allowed', because: 'bypass', pattern: null }
  const fitting = grants.filter(({ pattern }) => fits(pattern, { tool, subject }))
  const standing = fitting.find(({ fingerprint }) => fingerprint === (nature.fingerprint ?? null))
  if (standing !== undefined)
    return { kind: 'allowed', because: 'granted', pattern: patternText(standing.pattern) }
  // In every mode but the bypass, and before what is free by itself (LEAVE1).
  if (question.isComposed)
    return question.canAsk
      ? { kind: 'ask', pattern: question.pattern }
      : { kind: 'refused', because: 'composed' }
  if (isFree(question)) return { kind: 'allowed', because: 'built-in', pattern: null }
  if (mode === 'acceptEdits' && nature.effect === 'edits' && nature.origin.kind === 'built-in')
    return { kind: 'allowed', because: 'edits-accepted', pattern: null }
  if (mode === 'dontAsk') return { kind: 'refused', because: fitting.length > 0 ? 'changed' : 'not-allowed' }
  return question.canAsk
    ? { kind: 'ask', pattern: question.pattern }
    : { kind: 'refused', because: 'cannot-ask' }
}

function isFree({ mode, tool, nature: { origin, effect } }: CallQuestion): boolean {
  if (origin.kind !== 'built-in' || NOT_BY_ITSELF.has(tool)) return false
  return mode === 'dontAsk' || effect === 'looks' || effect === 'steers'
}
