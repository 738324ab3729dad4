import type { Look } from './look.ts'
import type { Entry } from '../port.ts'

export interface TranscriptLook extends Look {
  /** `Europe/Berlin`; undefined: that of the machine. */
  readonly timeZone?: string | undefined
  readonly signs: Signs
}

/** What says whose a line is; colours only help. */
export interface Signs {
  readonly said: string
  readonly done: string
  readonly failed: string
  readonly notice: string
  readonly ping: string
  readonly question: string
  /** Before lines of a difference. */
  readonly came: string
  readonly went: string
  readonly rule: string
  /** Beside a card. */
  readonly bar: string
}

export const drawnSigns: Signs = {
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
