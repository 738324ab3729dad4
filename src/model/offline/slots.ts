import { typed, type Word } from './words.ts'

/** A request without its opening words: what slots are filled from. */
export interface Clause {
  readonly said: string
  readonly words: readonly Word[]
  readonly known: Known
}

/** What earlier results in the prompt told of; the newest last. */
export interface Known {
  readonly marks: readonly string[]
  readonly children: readonly string[]
}

/** `used` words belong to a slot and say nothing for or against the intent; `weight` is what finding the slot says. */
export interface Filled {
  readonly args?: string
  /** A question to the person: the request is clear, but this is missing. */
  readonly missing?: string
  readonly used: readonly Word[]
  readonly weight: number
}

const NAMERS = /^(?:as|called|named|labelled|labeled|titled|under)$/
const NAMERS_OF_IT = /^(?:call|name|label|title|tag)$/
const NAME_ENDS = /^(?:please|so|because|if|when|once|after|until|unless|for|in|and|thanks|now|then|later)$/
const AGENTS = /^(?:agent|child|subagent|helper|worker|someone|assistant|copy|clone)$/

/** `… as NAME`, `… call it NAME`, `mark NAME`. */
export function nameSlot(clause: Clause): Filled {
  const { words } = clause
  const none = {
    used: [],
    weight: 0,
    missing: 'What should the checkpoint be called? Say for example "mark this as BEFORE_LUNCH".',
  }
  const after = afterNamer(words)
  const name = after > 0 ? nameAt(words, after) : bareName(clause)
  if (name.length === 0) return none
  const args = joined(typed(clause.said, name))
  return args === '' || args.startsWith('-') || args.length > 64 ? none : { args, used: name, weight: 1 }
}

function afterNamer(words: readonly Word[]): number {
  const at = words.findIndex(({ norm }, index) => NAMERS.test(norm) || isNamerOfIt(words, index))
  if (at < 0) return 0
  let next = at + 1
  while (/^(?:it|this|that|the|name|mark|checkpoint|of|:|--)$/.test(words[next]?.norm ?? '')) next++
  return next
}

function isNamerOfIt(words: readonly Word[], index: number): boolean {
  return (
    NAMERS_OF_IT.test(words[index]?.norm ?? '') && /^(?:it|this|that)$/.test(words[index + 1]?.norm ?? '')
  )
}

function nameAt(words: readonly Word[], from: number): Word[] {
  const rest = words.slice(from)
  if (/^(?:an?|done|well|soon|much)$/.test(rest[0]?.norm ?? '')) return []
  const end = rest.findIndex(({ norm, kind }, at) => kind === 'pause' || (at > 0 && NAME_ENDS.test(norm)))
  const name = rest.slice(0, end < 0 ? rest.length : end)
  return name.length > 4 ? name.slice(0, 1) : name
}

/** Without a word that announces it: the last word, if it looks like a name or is all there is. */
function bareName({ said, words }: Clause): Word[] {
  const rest = words.filter(({ norm, kind }) => kind !== 'pause' && !/^(?:please|now|here|again)$/.test(norm))
  const last = rest.at(-1)
  if (!last || /^(?:this|that|it|me|checkpoint|mark|spot|point|place)$/.test(last.norm)) return []
  const before = rest.at(-2)?.norm
  const follows = before === undefined || /^(?:mark|checkpoint|bookmark|savepoint|marker)$/.test(before)
  return last.kind === 'quote' || looksLikeName(typed(said, [last])) || follows ? [last] : []
}

function looksLikeName(raw: string): boolean {
  return /^(?:\p{Lu}[\p{Lu}\p{N}_.-]*|[\p{L}\p{N}]+(?:[_-][\p{L}\p{N}]+)+|\p{L}+\p{N}+)$/u.test(raw)
}

/** A mark's name has no blanks. */
function joined(text: string): string {
  return text
    .replaceAll(/^(?:the|my)\s+/gi, '')
    .trim()
    .replaceAll(/\s+/g, '_')
}

/** `… to MARK`: one that is known, one that looks like a name, or what follows. */
export function markSlot({ said, words, known }: Clause): Filled {
  const at = words.findLastIndex(({ norm }) => /^(?:to|since|after|at|until)$/.test(norm))
  const rest = words.slice(at + 1).filter(({ kind }) => kind !== 'pause')
  const whole = rest.filter(
    ({ norm }) => !/^(?:the|my|mark|checkpoint|please|again|now|point|called|named)$/.test(norm),
  )
  const spoken = knownMark(joined(whole.map((word) => typed(said, [word])).join(' ')), known)
  if (spoken !== undefined) return { args: spoken, used: whole, weight: 1.5 }
  const single = rest.find((word) => word.kind === 'quote' || looksLikeName(typed(said, [word])))
  const text = single && joined(typed(said, [single]))
  if (single && text) return { args: knownMark(text, known) ?? text, used: [single], weight: 1.5 }
  if (
    at >= 0 &&
    whole.length > 0 &&
    whole.length <= 4 &&
    !whole.some(({ norm }) => /^(?:last|previous|latest|newest)$/.test(norm))
  ) {
    const args = joined(whole.map((word) => typed(said, [word])).join(' '))
    return { args, used: whole, weight: whole[0]?.norm === 'before' ? 1 : whole.length === 1 ? 0.5 : 0 }
  }
  const newest = known.marks.at(-1)
  const missing = 'Which checkpoint? Say for example "go back to BEFORE_LUNCH"; `/mark` alone lists them.'
  return newest === undefined ? { missing, used: [], weight: 0 } : { args: newest, used: [], weight: 0 }
}

function knownMark(name: string, { marks }: Known): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[\s_-]|the_/g, '')
  return name === ''
    ? undefined
    : (marks.findLast((mark) => mark === name) ?? marks.findLast((mark) => plain(mark) === plain(name)))
}

/** `… child to GOAL`, `… someone GOAL`, `fork [from MARK] and GOAL`. Without a goal the child does the task above. */
export function goalSlot({ said, words, known }: Clause): Filled {
  const from = /^(?:from|at)$/.test(words[0]?.norm ?? '') ? words[1] : undefined
  const mark = from && !/^(?:here|this|now|the|there)$/.test(from.norm) ? typed(said, [from]) : ''
  let at = mark === '' ? 0 : 2
  const agent = words.findIndex(({ norm }) => AGENTS.test(norm))
  const link = words.findIndex(
    ({ norm }, index) => index >= at && /^(?:and|to|that|who|which|on|for|:|--)$/.test(norm),
  )
  const isNear = agent >= 0 && (link < 0 || agent < link)
  at = isNear && link !== agent + 1 ? agent + 1 : link < 0 ? words.length : link
  const isTopic = words[at]?.norm === 'on'
  while (
    /^(?:and|to|that|who|which|on|for|,|:|--|then|please|it|should|has|have|will|can|let|him|her)$/.test(
      words[at]?.norm ?? '',
    )
  )
    at++
  const goal = withoutAside(words.slice(at))
  const text = `${isTopic ? 'work on ' : ''}${typed(said, goal)}`
  const args = [mark === '' ? '' : (knownMark(mark, known) ?? mark), goal.length > 0 ? `-- ${text}` : '']
  const used = [...(mark === '' || !from ? [] : [from]), ...words.slice(goal.length > 0 ? at : words.length)]
  return { args: args.filter(Boolean).join(' '), used, weight: mark === '' ? 0 : 0.5 }
}

/** `GOAL in the background`. */
export function asideSlot({ said, words }: Clause): Filled | undefined {
  const goal = withoutAside(words)
  if (goal.length === words.length || goal.length < 2 || NO_ORDER.test(goal[0]?.norm ?? '')) return undefined
  return { args: `-- ${typed(said, goal)}`, used: goal, weight: 0 }
}

const ASIDE =
  /^(?:in the background|meanwhile|in the meantime|in parallel|on the side|while we \w+|at the same time)$/
/** What no order begins with. */
const NO_ORDER =
  /^(?:i|you|we|he|she|it|they|there|this|that|the|an?|my|your|our|his|her|what|who|why|how|when|where|which|is|are|was|were|do|does|did|has|have|had|not|never|no|in|on|at|of|with|by|for|something|someone|everything|nothing)$/

function withoutAside(words: readonly Word[]): Word[] {
  const trimmed = trim(words)
  for (let length = 4; length > 0; length--) {
    const isAside = (part: readonly Word[]): boolean => ASIDE.test(part.map(({ norm }) => norm).join(' '))
    if (isAside(trimmed.slice(-length))) return withoutAside(trimmed.slice(0, -length))
    if (isAside(trimmed.slice(0, length))) return withoutAside(trimmed.slice(length))
  }
  return trimmed
}

function trim(words: readonly Word[]): Word[] {
  const isLoose = ({ norm, kind }: Word): boolean => kind === 'pause' || /^(?:please|thanks)$/.test(norm)
  const [first, last] = [
    words.findIndex((word) => !isLoose(word)),
    words.findLastIndex((word) => !isLoose(word)),
  ]
  return first < 0 ? [] : words.slice(first, last + 1)
}

/** `ID that MESSAGE`, `MESSAGE to ID`. */
export function messageSlot(clause: Clause): Filled | undefined {
  const { said, words } = clause
  const agent = agentIn(clause)
  if (!agent) return undefined
  const before = trim(words.slice(0, agent.at).filter(({ norm }) => !/^(?:to|the|agent|child)$/.test(norm)))
  const rest = trim(words.slice(agent.at + 1))
  let at = 0
  while (/^(?:that|to|know|,|:|--)$/.test(rest[at]?.norm ?? '')) at++
  const message = rest.length > at ? rest.slice(at) : before
  const missing = `What should I write to ${agent.id}? Say for example "tell ${agent.id} that the deadline moved".`
  const filled = message.length > 0 ? { args: `${agent.id} ${typed(said, message)}` } : { missing }
  return { ...filled, used: words, weight: 1.5 }
}

/** `ID`, `agent ID`, or `the child` where it is clear which one. */
export function agentSlot(clause: Clause): Filled | undefined {
  const agent = agentIn(clause)
  if (agent) return { args: agent.id, used: clause.words.slice(agent.at, agent.at + 1), weight: 1.5 }
  if (!clause.words.some(({ norm }) => AGENTS.test(norm))) return undefined
  return { missing: 'Which agent? Say for example "stop k3f9ab"; `/agents` lists them.', used: [], weight: 1 }
}

function agentIn({ said, words, known }: Clause): { at: number; id: string } | undefined {
  const ids = words.map((word) => (word.kind === 'word' ? typed(said, [word]).toLowerCase() : ''))
  const isId = (id: string, at: number): boolean =>
    known.children.includes(id) ||
    /^(?=.*\d)(?=.*[a-z])[0-9a-z]{3,8}$/.test(id) ||
    (AGENTS.test(words[at - 1]?.norm ?? '') && /^[0-9a-hjkmnp-tv-z]{6}$/.test(id))
  const at = ids.findIndex(isId)
  if (at >= 0) return { at, id: ids[at] ?? '' }
  const [only, ...others] = known.children
  const spoken = words.findIndex(({ norm }) => AGENTS.test(norm) && norm !== 'someone')
  return only !== undefined && others.length === 0 && spoken >= 0 ? { at: spoken, id: only } : undefined
}
