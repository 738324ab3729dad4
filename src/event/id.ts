import { z } from 'zod'
import { limits } from '../base/limits.ts'
import type { Random } from '../base/random.ts'

declare const brand: unique symbol
/** `Brand<string, 'BranchId'>` is a string that only the parser of its kind hands out. */
type Brand<Value, Name extends string> = Value & { readonly [brand]: Name }

/** The order of the log: 1, 2, 3, … without gaps. Never order by time. */
export type Position = Brand<number, 'Position'>
export type BranchId = Brand<string, 'BranchId'>
export type TurnId = Brand<string, 'TurnId'>

/** Crockford's base 32: no i, l, o, u, so a handle can be read aloud. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_DIGITS = 9
const BRANCH = new RegExp(`^br_[${ALPHABET}]{${TIME_DIGITS + limits.handleLength}}$`)
const TURN = new RegExp(`^tn_[${ALPHABET}]{${TIME_DIGITS + limits.handleLength}}$`)

export const positionSchema = z.custom<Position>(
  (value) => Number.isSafeInteger(value) && (value as number) >= 1,
  { error: 'a position is a whole number from 1' },
)
export const branchIdSchema = z.custom<BranchId>((value) => typeof value === 'string' && BRANCH.test(value), {
  error: 'a branch id looks like br_0n5f8k2q1k3f9ab',
})
export const turnIdSchema = z.custom<TurnId>((value) => typeof value === 'string' && TURN.test(value), {
  error: 'a turn id looks like tn_0n5f8k2q1k3f9ab',
})

/** A work may be repeated, so the randomness of its ids comes in as a seed: the same log gives the same ids. */
export interface IdSeed {
  readonly at: number
  readonly seed: number
}

/** `time` sorts, `random` tells apart; the random part of a branch's id is its handle. */
export function makeBranchId(at: number, random: Random): BranchId {
  return `br_${sortable(at)}${randomDigits(random)}` as BranchId
}

export function makeTurnId(at: number, random: Random): TurnId {
  return `tn_${sortable(at)}${randomDigits(random)}` as TurnId
}

export function handleOf(branch: BranchId): string {
  return branch.slice(-limits.handleLength)
}

function sortable(at: number): string {
  let digits = ''
  for (let rest = at, n = 0; n < TIME_DIGITS; n++, rest = Math.floor(rest / 32)) {
    digits = ALPHABET.charAt(rest % 32) + digits
  }
  return digits
}

function randomDigits(random: Random): string {
  let bits = random()
  let digits = ''
  for (let n = 0; n < limits.handleLength; n++, bits >>>= 5) digits += ALPHABET.charAt(bits & 31)
  return digits
}
