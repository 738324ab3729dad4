import { isSummary, type Item, type Mark } from './item.ts'

/**
 * Every change carries its whole list, which can have hundreds of items of the same few branches. So the log stores an
 * item as a few numbers, a mark as a pair, and each branch id once. Exports show them in full.
 */
export type Fields = Record<string, unknown>

type Packed = readonly unknown[]
type Change = (entry: unknown) => unknown

export function pack(fields: Fields): Fields {
  if (fields['items'] === undefined && !hasItems(fields['base'])) return fields
  const branches: string[] = []
  const packed = mapLists(fields, {
    item: (item) => packItem(item as Item, branches),
    mark: (mark) => [(mark as Mark).name, (mark as Mark).at],
  })
  return { ...packed, branches }
}

/** Leaves what is not packed as it is: the schema decides whether it is valid. */
export function unpack(fields: Fields): Fields {
  const { branches, ...rest } = fields
  if (!Array.isArray(branches)) return fields
  return mapLists(rest, {
    item: (item) => (Array.isArray(item) ? unpackItem(item, branches) : item),
    mark: (mark) => (Array.isArray(mark) ? { name: mark[0] as unknown, at: mark[1] as unknown } : mark),
  })
}

/** The fields with every item and mark changed, wherever their lists stand. */
function mapLists(fields: Fields, { item, mark }: Record<'item' | 'mark', Change>): Fields {
  const { items, marks, base, summaries } = fields
  const changeCovers = (one: unknown): unknown =>
    isObject(one) ? { ...one, covers: mapArray(one['covers'], item) } : one
  return {
    ...fields,
    ...(items !== undefined && { items: mapArray(items, item) }),
    ...(marks !== undefined && { marks: mapArray(marks, mark) }),
    ...(hasItems(base) && { base: { ...base, items: mapArray(base['items'], item) } }),
    ...(summaries !== undefined && { summaries: mapArray(summaries, changeCovers) }),
  }
}

function packItem(item: Item, branches: string[]): Packed {
  const found = branches.lastIndexOf(item.src)
  const src = found === -1 ? branches.push(item.src) - 1 : found
  const numbers = isSummary(item) ? [item.summary, item.part, item.last, item.end] : [item.from, item.to]
  return item.at === undefined ? [src, ...numbers] : [src, ...numbers, item.at]
}

/** Three or four numbers are a range, five or six a summary. An even count ends with the position where a save brought it. */
function unpackItem(packed: Packed, branches: Packed): Fields {
  const src = branches[packed[0] as number]
  const range = packed.length < 5
  const at = packed.length % 2 === 0 ? { at: packed.at(-1) } : {}
  const [, first, second, third, fourth] = packed
  if (range) return { src, from: first, to: second, ...at }
  return { summary: first, part: second, src, last: third, end: fourth, ...at }
}

function mapArray(value: unknown, map: Change): unknown {
  return Array.isArray(value) ? value.map(map) : value
}

function hasItems(base: unknown): base is Fields {
  return isObject(base) && 'items' in base
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
