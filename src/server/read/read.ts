import { z } from 'zod'
import type { BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { terminalAddress } from '../../runtime/terminal/place.ts'
import { branchAsked } from '../../view/named.ts'
import { route } from '../contract/route.ts'

/** A route that shows a view. It takes no query but its own. */
export function read<Answer extends z.ZodType, Query extends z.ZodRawShape = {}>(
  path: string,
  given: {
    readonly summary: string
    readonly query?: Query
    readonly answer: Answer
    readonly look: Parameters<typeof route<z.ZodObject<Query>, z.ZodType, Answer>>[1]['handle']
  },
) {
  const { query, look: handle, ...about } = given
  return route(`GET ${path}`, {
    ...about,
    query: z.strictObject(query ?? ({} as Query)),
    handle,
  })
}

/** The branch that a query names, or the one that the terminal talks to. */
export function branchOf(reader: Reader, word: string | undefined): BranchId {
  return branchAsked(reader, word, terminalAddress)
}

/** An array of objects with just these fields. */
export function list<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.array(z.strictObject(shape))
}

export const text = z.string()
export const count = z.int().min(0)
export const position = z.int().min(1)
export const time = z.iso.datetime({ offset: true })
/** Null where no price is known. */
export const cost = z.number().min(0).nullable()
export const inBranch = text.optional().describe("'main', a handle or the beginning of one, or an id")

/** How many are shown: `standard` unless asked otherwise. */
export function atMost(max: number, standard: number) {
  const error = `it is a whole number from 1 to ${max.toLocaleString('en')}`
  return z.coerce.number<number>(error).int(error).min(1, error).max(max, error).default(standard)
}

const error = 'it is a position: a whole number from 0 on'
export const positionWord = z.coerce.number<number>(error).int(error).min(0, error).optional()
