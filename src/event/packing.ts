import { isSummary, type Item, type Mark, type Summary } from './item.ts'

/**
 * A list can have hundreds of items that name the same few branches, and every change carries all of it. In a log's
 * body an item is a few numbers, a mark a pair, and the ids of branches stand once. An export shows them in full.
 */
export type Fields = Record<string, unknown>

type Packed = readonly unknown[]

export function pack(fields: Fields): Fields {
  const { items, marks, base, summaries } = fields
  const packsBase = isObject(base) && 'items' in base
  if (items === undefined && !packsBase) return fields
  const branches: string[] = []
  const packItems = (list: unknown) => (list as Item[]).map((item) => packItem(item, branches))
  const packed = { ...fields, branches }
  if (items !== undefined) Object.assign(packed, { items: packItems(items) })
  if (marks !== undefined)
    Object.assign(packed, { marks: (marks as Mark[]).map(({ name, at }) => [name, at]) })
  if (packsBase) Object.assign(packed, { base: { ...base, items: packItems(base['items']) } })
  if (summaries !== undefined) {
    const parts = (summaries as Summary[]).map((one) => ({ ...one, covers: packItems(one.covers) }))
    Object.assign(packed, { summaries: parts })
  }
  return packed
}

/** What was never packed, or not by us, is left as it is: the schema judges it. */
export function unpack(fields: Fields): Fields {
  const { branches, ...rest } = fields
  if (!Array.isArray(branches)) return fields
  const unpackItems = (list: unknown) => mapArray(list, (item) => unpackItem(item, branches))
  const { items, marks, base, summaries } = rest
  return {
    ...rest,
    ...(items === undefined ? {} : { items: unpackItems(items) }),
    ...(marks === undefined ? {} : { marks: mapArray(marks, ([name, at]) => ({ name, at })) }),
    ...(isObject(base) ? { base: { ...base, items: unpackItems(base['items']) } } : {}),
    ...(summaries === undefined ? {} : { summaries: unpackSummaries(summaries, unpackItems) }),
  }
}

function packItem(item: Item, branches: string[]): Packed {
  const found = branches.lastIndexOf(item.src)
  const src = found === -1 ? branches.push(item.src) - 1 : found
  const numbers = isSummary(item) ? [item.summary, item.part, item.last, item.end] : [item.from, item.to]
  return item.at === undefined ? [src, ...numbers] : [src, ...numbers, item.at]
}

/** Three or four numbers are a range, five or six a summary; the even one out is when it joined by a save. */
function unpackItem(packed: Packed, branches: Packed): Fields {
  const src = branches[packed[0] as number]
  const range = packed.length < 5
  const at = packed.length % 2 === 0 ? { at: packed.at(-1) } : {}
  const [, first, second, third, fourth] = packed
  if (range) return { src, from: first, to: second, ...at }
  return { summary: first, part: second, src, last: third, end: fourth, ...at }
}

function unpackSummaries(summaries: unknown, unpackItems: (list: unknown) => unknown): unknown {
  if (!Array.isArray(summaries)) return summaries
  return summaries.map((one: unknown) =>
    isObject(one) ? { ...one, covers: unpackItems(one['covers']) } : one,
  )
}

function mapArray(value: unknown, map: (entry: Packed) => Fields): unknown {
  if (!Array.isArray(value)) return value
  return value.map((entry: unknown) => (Array.isArray(entry) ? map(entry) : entry))
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
