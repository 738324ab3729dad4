import { z } from 'zod'
import { limits } from '../base/limits.ts'
import { branchIdSchema, positionSchema } from './id.ts'

const count = z.int().min(0)

/** Messages that `src` wrote at positions `from` to `to`; both are positions of real messages. */
export const rangeSchema = z.strictObject({
  src: branchIdSchema,
  from: positionSchema,
  to: positionSchema,
  /** Where the range joined this list by a save. Absent: the owner wrote or inherited it. */
  at: positionSchema.exactOptional(),
})

/** A summary in place of the items it covers, which are in the event at position `summary`. */
export const summaryRefSchema = z.strictObject({
  summary: positionSchema,
  part: count,
  /** The branch whose time the covered items are in. */
  src: branchIdSchema,
  /** When, in the time of `src`, the last covered item joined. */
  last: count,
  /** Position of the last covered message. */
  end: positionSchema,
  at: positionSchema.exactOptional(),
})

const itemSchema = z.union([rangeSchema, summaryRefSchema])
export const itemsSchema = arrayOf(itemSchema)

export type Range = Readonly<z.infer<typeof rangeSchema>>
export type SummaryRef = Readonly<z.infer<typeof summaryRefSchema>>
export type Item = Range | SummaryRef
export type Items = readonly Item[]

const MARK_NAME = new RegExp(`^(?!-)[^\\s]{1,${limits.markNameMax}}$`, 'u')

export const markNameSchema = z.string().refine((name) => MARK_NAME.test(name) && name.isWellFormed(), {
  error: `a mark's name has 1 to ${limits.markNameMax} characters, no spaces, and does not begin with '-'`,
})

export const markSchema = z.strictObject({ name: markNameSchema, at: positionSchema })
export const marksSchema = arrayOf(markSchema)
export type Mark = Readonly<z.infer<typeof markSchema>>

/** A shortcut down a chain of nested summaries, so that an old place is found without walking the whole chain. */
const hopSchema = z.strictObject({ summary: positionSchema, part: count, last: count })
export type Hop = Readonly<z.infer<typeof hopSchema>>

export const summarySchema = z.strictObject({
  text: z.string().min(1),
  tokens: count,
  tokensCovered: count,
  covers: itemsSchema.refine((items) => items.length > 0),
  src: branchIdSchema,
  /** When, in the time of `src`, the first and the last of it joined. */
  first: count,
  last: count,
  end: positionSchema,
  /** From here to `end`, the covered items are one unbroken run of messages of `src`. */
  runFrom: positionSchema.exactOptional(),
  /** Number of summaries nested at the front below this one. */
  depth: count,
  jump: hopSchema.exactOptional(),
})
export type Summary = Readonly<z.infer<typeof summarySchema>>

export function isSummary(item: Item): item is SummaryRef {
  return 'summary' in item
}

/** Every change carries a whole list, mostly of known entries: what was checked once is not checked again. */
function arrayOf<T extends object>(schema: z.ZodType<T>): z.ZodType<T[]> {
  const checked = new WeakSet<object>()
  return z.array(z.unknown()).transform((values, context): T[] => {
    return values.map((value, index): T => {
      if (typeof value === 'object' && value !== null && checked.has(value)) return value as T
      const result = schema.safeParse(value)
      if (result.success) {
        checked.add(Object.freeze(result.data))
        return result.data
      }
      for (const issue of result.error.issues)
        context.issues.push({
          code: 'custom',
          input: value,
          path: [index, ...issue.path],
          message: issue.message,
        })
      return z.NEVER
    })
  })
}
