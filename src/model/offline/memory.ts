import type { PromptMessage } from '../../event/prompt.ts'
import { asTyped } from './fence.ts'
import type { Quote } from './quoting.ts'

const HEADING = /^## Relevant Memory\b/
const ENTRY =
  /^\[log (\d+), ([^\n\]]+), (\d{4}-\d\d-\d\d \w{3} \d\d:\d\d)\]\n<data source="[^"\n]*">\n([\s\S]*?)\n<\/data>/gm

/** What the tail of a prompt brings of what was said earlier, the best first. */
export function memoryIn(messages: readonly PromptMessage[]): Quote[] {
  const tail = messages.findLast(({ role, text }) => role === 'user' && HEADING.test(text.trim()))
  return Array.from((tail?.text ?? '').matchAll(ENTRY), ([, place, who = '', at = '', text = '']) => {
    const said = asTyped(text.replace(ANSWERED, '')).trim()
    return { ...speakerIn(who), at, position: Number(place), label: undefined, text: said }
  })
}

/** What a short answer answers stands before it, as a quotation. */
const ANSWERED = /^(?:> [^\n]*\n)+/

function speakerIn(who: string): Pick<Quote, 'who' | 'name'> {
  const [, tool] = /^result of (.+)$/.exec(who) ?? []
  if (tool !== undefined) return { who: 'tool', name: tool }
  const known = {
    'the person': 'user',
    'the assistant': 'assistant',
    'a note': 'note',
    'a summary': 'summary',
    'a look into the log': 'echo',
  }
  const role = Object.entries(known).find(([words]) => words === who)?.[1]
  return role === undefined ? { who: 'user', name: who } : { who: role, name: undefined }
}
