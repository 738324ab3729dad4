import { singleSpaced } from '../../base/words.ts'
import { fence, insideFence } from '../../event/fence.ts'

/** The new text and the lines that changed, or why nothing does. */
export function replaceExactly(
  text: string,
  { old, fresh, howMany }: { readonly old: string; readonly fresh: string; readonly howMany: 'one' | 'all' },
): { readonly text: string; readonly lines: readonly number[] } | { readonly because: string } {
  const pieces = text.split(old)
  // What reads as a tag or as the host's words has an escape in what read gives.
  const typed = insideFence(old)
  if (pieces.length === 1 && typed !== old && text.includes(typed))
    return replaceExactly(text, { old: typed, fresh: insideFence(fresh), howMany })
  if (pieces.length === 1) return { because: `old does not occur in it. ${nearTo(text, old)}` }
  const lines = linesOf(pieces, old)
  if (lines.length > 1 && howMany === 'one')
    return {
      because: `old occurs ${lines.length} times, ${placesText(lines)}. Give more of the text around it, or "all": true.`,
    }
  return { text: pieces.join(fresh), lines }
}

/** The line where each occurrence begins. */
function linesOf(pieces: readonly string[], old: string): number[] {
  const inOld = old.split('\n').length - 1
  let line = 1
  return pieces.slice(0, -1).map((piece) => {
    line += piece.split('\n').length - 1
    const begin = line
    line += inOld
    return begin
  })
}

const LINES_NAMED_MAX = 5

/** `in line 3`, `in lines 3, 8 and 4 more`. */
export function placesText(lines: readonly number[]): string {
  const named = lines.slice(0, LINES_NAMED_MAX).join(', ')
  const more = lines.length - LINES_NAMED_MAX
  return `in line${lines.length === 1 ? '' : 's'} ${named}${more > 0 ? ` and ${more} more` : ''}`
}

const NEAR_MAX = 3
const LINE_SHOWN_MAX = 200

/** A hint for the model: the lines most like its first one. */
function nearTo(text: string, old: string): string {
  const lines = text.split('\n')
  const wanted = old.split('\n').find((line) => line.trim() !== '') ?? ''
  const same = lines.flatMap((line, index) =>
    singleSpaced(line).includes(singleSpaced(wanted)) ? [index] : [],
  )
  if (singleSpaced(wanted) !== '' && same.length > 0) {
    const how = singleSpaced(text).includes(singleSpaced(old))
      ? 'differs in white space or line ends only'
      : 'begins like it'
    return `This ${how}:\n${shown(lines, same)}\nCopy the text exactly as read gives it.`
  }
  const like = likest(lines, wanted)
  const tags = old.includes('&lt;') ? ' read shows the < of a data tag as &lt;; give it as <.' : ''
  if (like.length === 0) return `Nothing in it is similar; read it first.${tags}`
  return `These lines are similar:\n${shown(lines, like)}\nCopy the text exactly as read gives it.${tags}`
}

/** Lines with at least half of the words. */
function likest(lines: readonly string[], wanted: string): number[] {
  const words = new Set(wordsOf(wanted))
  if (words.size === 0) return []
  return lines
    .map((line, index) => ({ index, shared: new Set(wordsOf(line).filter((word) => words.has(word))).size }))
    .filter(({ shared }) => shared * 2 >= words.size)
    .toSorted((a, b) => b.shared - a.shared)
    .slice(0, NEAR_MAX)
    .map(({ index }) => index)
}

function wordsOf(line: string): string[] {
  return line.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** In quotes, to make white space visible. */
function shown(lines: readonly string[], which: readonly number[]): string {
  const texts = which.slice(0, NEAR_MAX).map((index) => {
    const line = (lines[index] ?? '').slice(0, LINE_SHOWN_MAX).toWellFormed()
    return `${index + 1}: ${JSON.stringify(line)}`
  })
  return fence('near', texts.join('\n'))
}
