import { type Style, styleFor } from '../../../base/style.ts'
import { counted } from '../../../base/words.ts'
import { plainSpans } from '../text/markdown-inline.ts'
import type { Status } from '../port.ts'
import { EMPTY, type Line, type Span, lineFrom, unpainted, wrap } from '../text/wrap.ts'

/** Which branch the person writes to. */
export function branchText({ branch, mode }: Status): string {
  return mode === 'main' || branch === mode ? branch : `${mode} ${branch}`
}

/** The model's name, and its short form without the provider. */
export function modelTexts(model: string): readonly [full: string, short: string] {
  return [model, model.slice(model.lastIndexOf('/') + 1)]
}

/**
 * Context, mail, approvals, updates, an open fork, cost, running branches and permissions, in at most `columns`. If they
 * do not fit, the words become shorter first, then the bar, then the last parts are dropped.
 */
export function statusLine(status: Status, style: Style, columns: number): Line {
  const bare = parts(status, BAREST, style)
  const shorter = bare.map((_, less) => bare.slice(0, bare.length - less))
  const forms = [...FORMS.map((form) => parts(status, form, style)), ...shorter]
  const fitting = forms.map((form) => joined(form, style)).find(({ width }) => width <= columns)
  return fitting ?? wrap(bare[0] ?? [], Math.max(1, columns))[0] ?? EMPTY
}

/** The same as a sentence, for a screen reader. */
export function statusSentence(status: Status): string {
  const [, ...rest] = parts(status, FORMS[0], styleFor('plain'))
  const context = `context ${contextText(status).replace('/', ' of ')} tokens`
  const texts = rest.flat().map(({ text }) => (text === status.permissions ? `permissions ${text}` : text))
  return [branchText(status), modelTexts(status.model)[0], context, ...texts].join(', ')
}

interface Form {
  readonly barCells: number
  readonly words: 'long' | 'short' | 'barest'
}

const BAREST: Form = { barCells: 0, words: 'barest' }
const FORMS: readonly [Form, ...Form[]] = [
  { barCells: 10, words: 'long' },
  { barCells: 10, words: 'short' },
  { barCells: 4, words: 'short' },
  { barCells: 0, words: 'short' },
]
const FULL = 0.8

function parts(status: Status, { barCells, words }: Form, style: Style): Span[][] {
  const { unreadMail, approvals, updates, openFork, running, costToday } = status
  const [isLong, isBarest] = [words === 'long', words === 'barest']
  const approvalText = isBarest ? `${approvals} appr` : counted(approvals, 'approval')
  const isRisky = status.permissions === 'bypassPermissions'
  return [
    contextSpans(status, barCells, style),
    ...retryTexts(status).map((text) => [{ text, paint: style.yellow }]),
    ...(isRisky ? [permissionSpan(status, words, style)] : []),
    ...(unreadMail > 0 ? [[{ text: `${unreadMail} unread`, paint: style.bold }]] : []),
    ...(approvals > 0 ? [[{ text: approvalText, paint: style.bold }]] : []),
    ...(updates > 0 ? [plainSpans(isBarest ? `${updates} upd` : counted(updates, 'update'))] : []),
    ...(openFork === null ? [] : [plainSpans(`fork ${openFork}${isBarest ? '' : ' open'}`)]),
    ...(costToday === null ? [] : [plainSpans(`${costText(costToday)}${isLong ? ' today' : ''}`)]),
    ...(running > 0 ? [plainSpans(isLong ? `${running} running` : `${running} run`)] : []),
    ...(isRisky || status.permissions === 'dontAsk' ? [] : [permissionSpan(status, words, style)]),
  ]
}

/** `retry 3 · server error · next in 30 s · 2 waiting` */
function retryTexts({ retry }: Status): string[] {
  if (retry === undefined) return []
  const { tries, seconds, waiting, why } = retry
  const next = seconds > 0 ? [`next in ${seconds} s`] : []
  return [
    `retry ${tries}`,
    ...(why === null ? [] : [why]),
    ...next,
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
  ]
}

/** `bypassPermissions` is a warning, so it comes early in the line and is dropped last. */
function permissionSpan({ permissions }: Status, words: Form['words'], { dim, yellow }: Style): Span[] {
  if (permissions !== 'bypassPermissions') return [{ text: permissions, paint: dim }]
  return [{ text: words === 'barest' ? 'bypass!' : permissions, paint: yellow }]
}

/** A bar and the exact numbers. A context that is nearly full also gets an exclamation mark. */
function contextSpans(status: Status, cells: number, style: Style): Span[] {
  const share = status.tokensMax > 0 ? Math.min(1, status.tokens / status.tokensMax) : 0
  const paint = share >= FULL ? style.yellow : unpainted
  const text = { text: contextText(status) + (share >= FULL ? '!' : ''), paint }
  if (cells === 0 || status.tokensMax <= 0) return [text]
  const filled = Math.min(cells, Math.max(status.tokens > 0 ? 1 : 0, Math.round(share * cells)))
  return [
    { text: '▓'.repeat(filled), paint },
    { text: '░'.repeat(cells - filled), paint: style.dim },
    { text: ' ', paint: unpainted },
    text,
  ]
}

function contextText({ tokens, tokensMax }: Status): string {
  return tokensMax > 0 ? `${countText(tokens)}/${countText(tokensMax)}` : countText(tokens)
}

/** 950, 3.2k, 32k, 1.5M */
export function countText(count: number): string {
  if (count < 1_000) return String(Math.round(count))
  const [value, unit] = count < 999_500 ? [count / 1_000, 'k'] : [count / 1_000_000, 'M']
  return `${value < 9.95 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)}${unit}`
}

function costText(cost: number): string {
  return cost > 0 && cost < 0.01 ? '<$0.01' : `$${cost.toFixed(2)}`
}

function joined(all: readonly (readonly Span[])[], { dim }: Style): Line {
  const spans = all.flatMap((part, index) => (index === 0 ? part : [{ text: ' · ', paint: dim }, ...part]))
  return spans
    .map(({ text, paint }) => lineFrom(text, paint))
    .reduce((line, more) => ({ text: line.text + more.text, width: line.width + more.width }), EMPTY)
}
