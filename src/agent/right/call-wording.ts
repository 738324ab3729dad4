import { oneLine, shorten } from '../../base/width.ts'
import { ageText } from '../../base/words.ts'
import { handleOf, type BranchId } from '../../event/id.ts'
import type { Choice } from '../../event/work.ts'
import type { RefusedBecause } from '../../permission/judge.ts'
import { originText } from '../../permission/origin-text.ts'
import type { ToolNature } from '../../tool/tool.ts'

/** Longer calls are refused without asking: nobody should approve what they cannot read. */
export const SHOWN_CHARS_MAX = 20_000
const SHOWN_LINES_MAX = 14

const SUBJECT_COLUMNS = 80

interface AskedCall extends Omit<Refused, 'because'> {
  readonly number: number
  /** What the call is about; empty if the tool names nothing. */
  readonly subject: string
  readonly shown: string
  /** 0: for ever. */
  readonly waitMs: number
  /** Where the part of its address begins that nobody gave. */
  readonly from: number | undefined
  /** The guest whose call it is; left out: the owner's own. */
  readonly guest?: string | undefined
}

export function questionText(call: AskedCall): string {
  const { number, tool, nature, pattern, subject, shown, waitMs, guest, from } = call
  const whose = guest === undefined ? '' : `${oneLine(visible(guest))} is talking with me. `
  const about = shorten(oneLine(visible(subject)), SUBJECT_COLUMNS)
  const what = about === '' ? '' : ` ${nature.effect === 'edits' ? 'to' : 'for'} ${about}`
  // A call that is only its subject is already shown in the first line.
  const lines =
    from !== undefined ? composedLines(shown, from) : shown === about ? [] : visible(shown).split('\n')
  const more = lines.length - SHOWN_LINES_MAX
  return [
    `${whose}Allow \`${tool}\`${originText(nature.origin)}${what}? (approval ${number})`,
    ...lines.slice(0, more > 1 ? SHOWN_LINES_MAX : undefined).map((line) => `  ${line}`),
    ...(more > 1 ? [`  … ${more} more lines: /approvals ${number} shows all`] : []),
    howToAnswer({ number, pattern, waitMs }),
  ].join('\n')
}

/** The address whole, and the part that a model made up under it: what it says yes to could carry anything away. */
export function composedLines(address: string, from: number): string[] {
  return [
    address,
    `Nobody gave this part: ${address.slice(from)}`,
    'Text from elsewhere is in view, and could have asked for it. Whatever the address says is sent there.',
  ]
}

/** One line, the last one: a screen with keys for the answers leaves it out. */
function howToAnswer({ number, pattern, waitMs }: Pick<AskedCall, 'number' | 'pattern' | 'waitMs'>): string {
  const how = `Answer y (once), a (always for ${oneLine(visible(pattern))}) or n (no; "n WHY" says why).`
  const later = `Elsewhere: /approve ${number}, /deny ${number}.`
  return waitMs === 0 ? `${how} ${later}` : `${how} ${later} Refused in ${ageText(waitMs)} without an answer.`
}

export interface CallAnswer {
  readonly verdict: 'once' | 'always' | 'denied'
  readonly why: string | null
}

const CALL_ANSWER = /^(?:(?<verdict>[yna])|n\s+(?<why>\S[^]*))$/i
const VERDICTS = { y: 'once', a: 'always', n: 'denied' } as const

/** The answer that these words are below a question about a call; undefined: they are others. */
export function callAnswerIn(text: string): CallAnswer | undefined {
  const { verdict, why } = CALL_ANSWER.exec(text.trim())?.groups ?? {}
  if (why !== undefined) return { verdict: 'denied', why }
  const letter = verdict?.toLowerCase() as keyof typeof VERDICTS | undefined
  return letter && { verdict: VERDICTS[letter], why: null }
}

export function choicesFor(number: number, pattern: string): Choice[] {
  return [
    { label: 'Once', command: `/approve ${number}` },
    { label: `Always: ${visible(pattern)}`, command: `/approve ${number} always` },
    { label: 'Deny', command: `/deny ${number}` },
  ]
}

/** An emoji as people send it, whose parts may be joined by signs that are invisible elsewhere. */
const EMOJI = /\p{RGI_Emoji}/v
/** Nobody sees them, but a model reads them: controls, formats, tags, selectors, fillers, halves of characters. */
const UNSEEN = /(?![\n\t])[\p{C}\p{Default_Ignorable_Code_Point}\u{2800}]/v
const EITHER = new RegExp(`(${EMOJI.source})|${UNSEEN.source}`, 'gv')

/**
 * Makes a model's text safe to approve: line breaks stay, and whatever nobody would see becomes `\u{E0041}`. Every
 * question and proposal is shown through this, since what a person says yes to must be what they saw.
 */
export function visible(text: string): string {
  return text
    .replaceAll(/\r\n?|[\u{85}\u{2028}\u{2029}]/gu, '\n')
    .replaceAll(
      EITHER,
      (sign, emoji) => emoji ?? `\\u{${sign.codePointAt(0)?.toString(16).toUpperCase() ?? ''}}`,
    )
}

const REFUSED: Readonly<Record<RefusedBecause, string>> = {
  'not-allowed': 'nobody has allowed it yet',
  changed: 'it has changed since it was allowed',
  'cannot-ask': 'nobody can be asked here',
  'too-long': 'it is too long to show to a person',
  person: 'the person said no',
  'no-answer': 'nobody answered in time',
  'not-offered': 'it is not offered here',
  composed: 'nobody gave this address, and with text from elsewhere in view it could carry something away',
}

interface Refused {
  readonly tool: string
  readonly nature: ToolNature
  readonly pattern: string
  readonly because: RefusedBecause
  /** A guest cannot allow anything; the owner can. */
  readonly isGuests?: boolean
}

function reasonOf({ because, isGuests = false }: Refused): string {
  return because === 'person' && isGuests ? 'the owner said no' : REFUSED[because]
}

/** For the person. `who`: the branch that was refused, if it is not the one they talk to. */
export function refusalNotice(refused: Refused & { readonly who: BranchId | null }): string {
  const { tool, nature, pattern, because, who, isGuests = false } = refused
  const whose = who === null ? '' : `${handleOf(who)}: `
  const what = `${whose}${tool}${originText(nature.origin)} was refused: ${reasonOf(refused)}.`
  return because === 'too-long' || isGuests ? what : `${what} /allow ${pattern} allows it.`
}

function composedHelp(pattern: string): string {
  return `Use an address exactly as the person, a page or a search gave it, or say in your answer or report which one you wanted. The person can allow it by typing /allow ${pattern}.`
}

/** For the model. It cannot allow anything itself, so it is told who can. */
export function refusalText(refused: Refused): string {
  const { tool, nature, pattern, because, isGuests = false } = refused
  const what = `'${tool}'${originText(nature.origin)} was not run: ${reasonOf(refused)}.`
  if (because === 'person') return `${what} Do not try it again; ask what they want instead.`
  if (because === 'too-long') return `${what} Do it in smaller parts.`
  if (because === 'composed') return `${what} ${composedHelp(pattern)}`
  if (isGuests) return `${what} Only the owner can allow it. Do without it, or say so.`
  return `${what} The person can allow it by typing /allow ${pattern}. Do without it, or tell them.`
}
