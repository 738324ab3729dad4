import type { Paint } from '../../../base/style.ts'
import type { Look } from './look.ts'
import { type Line, lineFrom, prefixed } from './wrap.ts'

export function roomBeside(sign: string, { columns }: Look): number {
  return Math.max(1, columns - sign.length)
}

/** What continues stands under its text. */
export function beside(lines: readonly Line[], sign: string, paint: Paint): Line[] {
  return prefixed(lines, lineFrom(sign, paint), lineFrom(' '.repeat(sign.length)))
}
