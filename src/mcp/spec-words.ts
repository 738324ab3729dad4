import type { Json } from '../base/json.ts'
import { oneLine } from '../base/width.ts'
import { fence } from '../event/fence.ts'

const WORDS = new Set(['description', 'title', '$comment'])
/** What stands below these is no schema, but values that a call may have to give as they are. */
const VALUES = new Set(['const', 'default', 'enum', 'examples'])

/** A schema with `change` made to each text in it that is there to be read. */
export function withWords(schema: Json, change: (text: string) => string): Json {
  if (Array.isArray(schema)) return (schema as readonly Json[]).map((one) => withWords(one, change))
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, inner]) => {
      if (WORDS.has(key) && typeof inner === 'string') return [key, change(inner)]
      return [key, VALUES.has(key) ? inner : withWords(inner, change)]
    }),
  )
}

/** Words of a server as a model is shown them: one line that can be seen, of bounded length, and no tag of a fence. */
export function visibleLine(text: string, lengthMax: number): string {
  const line = oneLine(text.replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, ''))
  const visible = withoutFenceTags(line)
  return visible.length <= lengthMax ? visible : `${visible.slice(0, lengthMax - 1).toWellFormed()}…`
}

/** Nothing is lost on the way to this. */
export function spaced(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

const [FENCE_BEGIN = '', FENCE_END = ''] = fence('', '|').split('|')

/** As a fence shows it, so that both know the same tags. */
function withoutFenceTags(text: string): string {
  return fence('', text).slice(FENCE_BEGIN.length, -FENCE_END.length)
}
