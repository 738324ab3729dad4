import type { Style } from '../../../base/style.ts'
import type { Entry } from '../port.ts'

/** How things are to look. */
export interface Look {
  readonly style: Style
  /** Plain: the marks of Markdown stay, since nothing else would say what they said. */
  readonly colour: 'colour' | 'plain'
  readonly columns: number
}

export interface TranscriptLook extends Look {
  /** `Europe/Berlin`; undefined: that of the machine. */
  readonly timeZone?: string | undefined
  readonly signs: Signs
}

/** What says whose a line is; colours only help. `came` and `went` stand before lines of a difference, `bar` beside a card. */
export const drawnSigns = {
  said: '› ',
  done: '✓ ',
  failed: '✗ ',
  notice: '– ',
  ping: '● ',
  question: '? ',
  came: '+ ',
  went: '- ',
  rule: '──',
  bar: '▌ ',
}

export type Signs = Readonly<Record<keyof typeof drawnSigns, string>>

/** Words, for those who listen. */
export const spokenSigns: Signs = {
  said: 'You: ',
  done: 'Done: ',
  failed: 'Failed: ',
  notice: 'Notice: ',
  ping: 'Message: ',
  question: 'Question: ',
  came: 'Added: ',
  went: 'Removed: ',
  rule: '',
  bar: '',
}

/** What stood there before. */
export interface Before {
  readonly entry: Entry | null
  /** When something was last said or answered. */
  readonly at: number | null
  /** The branch shown here. */
  readonly branch: string
  /** Whether it was said how a message from the background is answered. */
  readonly isHinted?: boolean
}
