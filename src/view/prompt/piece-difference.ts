import { edits } from '../../base/line-difference.ts'
import { cutText } from '../../base/words.ts'
import { HEADING, type Piece } from './prompt-pieces.ts'

/** A line of a difference. `skip` stands for what is the same in both; its text says how much. */
export interface DifferenceLine {
  readonly op: 'same' | 'added' | 'gone' | 'moved' | 'skip'
  readonly text: string
  /** Set on the first line of a piece: who says it, or what it is. */
  readonly label?: string
}

/** How a part of a prompt differs from the same part of an earlier one. A text that is one piece is counted in lines. */
export function partDifference(old: readonly Piece[], now: readonly Piece[]) {
  const steps = stepsOf(old, now)
  const [one] = steps
  const isText = steps.length === 1 && one?.op === 'changed'
  const lines = isText ? changedLines(one) : stepLines(steps)
  const counted = isText ? lines : steps.filter((_, index) => isOne(steps, index))
  const count = (op: string): number => counted.filter((step) => step.op === op).length
  const changed = isText ? 0 : count('changed')
  const [added, gone, moved] = [count('added') + changed, count('gone') + changed, count('moved')]
  const isSame = added + gone + moved === 0
  const state = isSame ? 'same' : old.length === 0 ? 'new' : now.length === 0 ? 'gone' : 'changed'
  const unit = isText ? 'line' : 'piece'
  return { state, unit, added, gone, moved, lines: isSame ? [] : lines } as const
}

/** A message that shows updates is several pieces, and counts once; the heading of recalled pieces does not count. */
function isOne(steps: readonly Step[], index: number): boolean {
  const [step, before] = [steps[index], steps[index - 1]]
  const position = step?.piece.position ?? null
  const isMore = before?.op === step?.op && position !== null && before?.piece.position === position
  return step?.piece.name !== HEADING && !isMore
}

type Step =
  | { readonly op: 'same' | 'added' | 'gone' | 'moved'; readonly piece: Piece }
  | { readonly op: 'changed'; readonly before: Piece; readonly piece: Piece }

function stepsOf(old: readonly Piece[], now: readonly Piece[]): Step[] {
  const found = edits(old.map(keyOf), now.map(keyOf))
  const textsOf = (what: string) => found.flatMap(({ op, text }) => (op === what ? [text] : []))
  // What went from one place and came to another was moved.
  const [left, came] = [new Tally(textsOf('gone')), new Tally(textsOf('added'))]
  const [before, after] = [old.values(), now.values()]
  return found.flatMap(({ op, text }): Step[] => {
    const was = op === 'added' ? undefined : before.next().value
    const is = op === 'gone' ? undefined : after.next().value
    if (is === undefined) return was === undefined || came.take(text) ? [] : [{ op: 'gone', piece: was }]
    if (was === undefined) return [{ op: left.take(text) ? 'moved' : 'added', piece: is }]
    return was.text === is.text ? [{ op: 'same', piece: is }] : [{ op: 'changed', before: was, piece: is }]
  })
}

function keyOf({ name, label, text }: Piece): string {
  return name ?? `${label}\n${text}`
}

/** How often each text occurs. */
export class Tally {
  readonly #counts = new Map<string, number>()

  constructor(texts: Iterable<string>) {
    for (const text of texts) this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1)
  }

  /** Takes one of them away; false: none is left. */
  take(text: string): boolean {
    const count = this.#counts.get(text) ?? 0
    this.#counts.set(text, Math.max(0, count - 1))
    return count > 0
  }
}

/** Pieces and lines of a text that stay in view beside a change. */
const CONTEXT = 2
const CONTEXT_LINES_MAX = 4
const CONTEXT_CHARACTERS_MAX = 240
/** Longer pieces are cut here; the whole text is shown elsewhere. */
const PIECE_LINES_MAX = 200

const NOUNS: Readonly<Record<string, string>> = { tools: 'tool', recall: 'piece' }

function stepLines(steps: readonly Step[]): DifferenceLine[] {
  return nearChanges(steps, {
    what: NOUNS[steps[0]?.piece.kind ?? ''] ?? 'message',
    isOne: (index) => isOne(steps, index),
  }).flatMap((step): DifferenceLine[] => {
    if (step.op === 'skip') return [step]
    if (step.op === 'changed') return changedLines(step)
    const { label } = step.piece
    const all = plainText(step.piece).split('\n')
    const max = step.op === 'same' ? CONTEXT_LINES_MAX : PIECE_LINES_MAX
    return [
      ...all.slice(0, max).map((line, index) => ({
        op: step.op,
        text: step.op === 'same' ? cutText(line, CONTEXT_CHARACTERS_MAX) : line,
        ...(index === 0 && { label }),
      })),
      ...(all.length > max ? [skip(all.length - max, 'line')] : []),
    ]
  })
}

/** Without the fences around it, and with its time in front of the first line. */
function plainText({ kind, text }: Piece): string {
  const bare = kind === 'recall' || kind === 'updates' ? text.replaceAll(/^<\/?data[^>\n]*>\n?/gm, '') : text
  return bare.trimEnd().replace(/^(\[(?:log \d+, |\d{4}-)[^\]\n]*\])\n+/, '$1 ')
}

function changedLines({ before, piece }: Extract<Step, { op: 'changed' }>): DifferenceLine[] {
  const lines = edits(before.text.split('\n'), piece.text.split('\n'))
  const near = nearChanges(lines, { what: 'line', isOne: () => true }).slice(0, PIECE_LINES_MAX)
  return near.map((line, index) => ({ ...line, ...(index === 0 && { label: piece.label }) }))
}

/** Leaves out what is the same and far from any change. */
function nearChanges<T extends { readonly op: string }>(
  steps: readonly T[],
  { what, isOne: counts }: { readonly what: string; readonly isOne: (index: number) => boolean },
): (T | ReturnType<typeof skip>)[] {
  let skipped = 0
  return steps.flatMap((step, index) => {
    const around = steps.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1)
    const isNear = around.some(({ op }) => op !== 'same')
    if (!isNear && counts(index)) skipped++
    if (!isNear && index < steps.length - 1) return []
    const gap = skipped === 0 ? [] : [skip(skipped, what)]
    skipped = 0
    return isNear ? [...gap, step] : gap
  })
}

function skip(count: number, what: string) {
  return { op: 'skip', text: `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}` } as const
}
