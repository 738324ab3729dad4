import { z } from 'zod'
import { sentence } from '../../base/words.ts'
import type { BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { terminalAddress } from '../../runtime/terminal/place.ts'
import { branchAsked, LookError } from '../../view/named.ts'
import { Refusal, type RouteCall, type Served } from '../contract/route.ts'

/** What a view is made from. */
export interface Looking<Query> extends Pick<RouteCall<Query>, 'query' | 'params'> {
  readonly served: Served
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal
}

/** A value that nobody changes, in which only the named fields matter. */
type Given<T> = T extends readonly (infer Item)[]
  ? readonly Given<Item>[]
  : T extends object
    ? { readonly [Key in keyof T as string extends Key ? never : Key]: Given<T[Key]> }
    : T

/** A route that shows a view. Its types are those of its schemas, also for clients. */
export function read<const Path extends string, Query extends z.ZodRawShape, Answer extends z.ZodType>(
  path: Path,
  about: {
    readonly summary: string
    readonly query: Query
    readonly answer: Answer
    readonly look: (
      looking: Looking<z.output<z.ZodObject<Query>>>,
    ) => Promise<Given<z.input<Answer>>> | Given<z.input<Answer>>
  },
) {
  const { summary, answer, look } = about
  const query = z.strictObject(about.query)
  const handle = async ({ served, query: asked, params, request }: RouteCall): Promise<unknown> => {
    try {
      const given = asked as z.output<z.ZodObject<Query>>
      return await look({ served, query: given, params, signal: request.signal })
    } catch (error) {
      if (!(error instanceof LookError)) throw error
      throw new Refusal(error.kind === 'wrong' ? 400 : 404, sentence(error.message))
    }
  }
  return { method: 'GET', access: 'owner', path, summary, query, answer, handle } as const
}

/** The branch that a query names, or the one that the terminal talks to. */
export function branchOf(reader: Reader, word: string | undefined): BranchId {
  return branchAsked(reader, word, terminalAddress)
}

export const text = z.string()
export const count = z.int().min(0)
export const position = z.int().min(1)
export const time = z.iso.datetime({ offset: true })
export const branchWord = text.optional().describe("'main', a handle or the beginning of one, or an id")

/** How many are shown: `standard` unless asked otherwise. */
export function limitTo(max: number, standard: number) {
  const error = `it is a whole number from 1 to ${max.toLocaleString('en')}`
  return z.coerce
    .number<number>({ error })
    .int({ error })
    .min(1, { error })
    .max(max, { error })
    .default(standard)
}

const error = 'it is a position: a whole number from 0 on'
export const positionWord = z.coerce.number<number>({ error }).int({ error }).min(0, { error }).optional()
