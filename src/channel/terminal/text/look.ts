import type { Style } from '../../../base/style.ts'
import type { Entry } from '../port.ts'

/** Colours and width of the terminal. */
export interface Look {
  readonly style: Style
  /** Plain: Markdown marks stay, since no colour shows what they mean. */
  readonly colour: 'colour' | 'plain'
  /** The width at which text wraps. */
  readonly columns: number
  /** Columns beside the text, for code and tables. */
  readonly spare?: number
}

export interface TranscriptLook extends Look {
  /** `Europe/Berlin`; undefined for the machine's own. */
  readonly timeZone?: string | undefined
  readonly signs: Signs
}

/** Signs that say what a line is, also without colours. `came` and `went` are for lines of a diff, `bar` for cards. */
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

/** Words, for a screen reader. */
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

/** What the transcript has so far, as far as the next entry needs it. */
export interface Before {
  readonly entry: Entry | null
  /** When something was last said or answered. */
  readonly at: number | null
  /** The branch shown here. */
  readonly branch: string
  /** Whether the transcript has shown how to answer a background message. */
  readonly isHinted?: boolean
}
