import type { Style } from '../../../base/style.ts'

/** How things are to look. */
export interface Look {
  readonly style: Style
  /** Plain: the marks of Markdown stay, since nothing else would say what they said. */
  readonly colour: 'colour' | 'plain'
  readonly columns: number
}
