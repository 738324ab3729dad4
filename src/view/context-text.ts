import { sayTrouble } from '../agent/compaction/compaction-notice.ts'
import { estimateTokens } from '../base/tokens.ts'
import type { ContextView } from './context.ts'
import { pieceWords, thingsWords, type Recalled } from './recalled.ts'
import { tokenWords } from './words.ts'

const ONE_MESSAGE = 'One message takes most of it. /compact summarizes it; /rewind removes it.'

const BAR_WIDTH = 40

/** How large each part is, which ranges and marks there are, and what this branch may do. */
export function contextText(view: ContextView): string {
  const { tokens, tokensMax, marks, unread, recalled, undo, summaryFailedAt } = view
  return [
    `What ${view.model} would see now in ${view.branch}, turn ${view.turn}:`,
    '',
    `${bar(tokens, tokensMax)} ${tokenWords(tokens)} of ${tokenWords(tokensMax)} tokens`,
    ...(view.fullPrompt.cost === 0
      ? []
      : [`A full prompt here: ${tokenWords(view.fullPrompt.tokens)} tokens, ${view.fullPrompt.costs}.`]),
    ...(view.isStuckOnOne ? [ONE_MESSAGE] : []),
    '',
    ...view.parts.map((one) => `  ${one.part.padEnd(12)} ${tokenWords(one.tokens).padStart(6)}  ${one.what}`),
    ...(unread === 0 ? [] : [fact('mail', `${unread} unread; /check-mail shows it`)]),
    '',
    ...Object.entries(view.mode).map(([name, words]) => fact(name, words)),
    ...(recalled === null ? [] : recalledLines(recalled)),
    '',
    marks.length === 0 ? 'No marks.' : `Marks: ${marks.map(({ name }) => name).join(', ')}`,
    undo === null ? 'Nothing to undo.' : `/undo would undo: ${undo}.`,
    ...(view.policy === 'explicit'
      ? ['Automatic summaries are off. Only your commands change this context.']
      : []),
    ...(summaryFailedAt === null ? [] : [sayTrouble({ what: 'older messages', time: summaryFailedAt })]),
  ].join('\n')
}

function bar(tokens: number, max: number): string {
  const full = Math.min(BAR_WIDTH, Math.ceil((tokens / Math.max(1, max)) * BAR_WIDTH))
  return `${'▓'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)}`
}

/** In the columns of the parts above it, without a size. */
function fact(what: string, words: string): string {
  return `  ${what.padEnd(20)} ${words}`
}

function recalledLines({ text, pieces }: Recalled): string[] {
  const size = `${thingsWords(pieces.length)}, ${tokenWords(estimateTokens(text))} tokens`
  return ['', `Recalled with the last question: ${size}:`, ...pieces.map((one) => `  ${pieceWords(one)}`)]
}
