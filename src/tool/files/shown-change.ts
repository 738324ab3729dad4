import type { JsonObject } from '../../base/json.ts'
import { lineDifference } from '../../base/line-difference.ts'
import { counted } from '../../base/words.ts'

/** A pending write as a person sees it: the path, and the lines added and removed. */
export function shownWrite(
  place: string,
  { before, args }: { before: string | undefined; args: JsonObject },
): string {
  const after = withoutEnd(textIn(args, 'content'))
  if (before === undefined) return [`${place} (new)`, ...marked('+', after)].join('\n')
  const old = withoutEnd(before)
  const size = counted(old.split('\n').length, 'line')
  return [`${place} (has ${size})`, ...lineDifference(old, after, Number.POSITIVE_INFINITY)].join('\n')
}

export function shownEdit(place: string, args: JsonObject): string {
  const where = args['all'] === true ? `${place} (everywhere)` : place
  return [where, ...marked('-', textIn(args, 'old')), ...marked('+', textIn(args, 'new'))].join('\n')
}

function marked(sign: '+' | '-', text: string): string[] {
  return text.split('\n').map((line) => `${sign} ${line}`)
}

function textIn(args: JsonObject, name: string): string {
  const value = args[name]
  return typeof value === 'string' ? value : ''
}

function withoutEnd(text: string): string {
  return text.replace(/\n$/, '')
}
