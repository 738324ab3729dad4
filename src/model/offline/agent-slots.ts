import { limits } from '../../base/limits.ts'
import { knownMark, looksLikeName } from './mark-slots.ts'
import type { Clause, Filled } from './slot.ts'
import { typed, type Word } from './words.ts'

const THIS_ONE = /^(?:the|that|this|my)$/
const AGENTS =
  /^(?:agent|child|subagent|helper|worker|someone|assistant|copy|clone|sidekick|minion|deputy|aide|colleague)$/

/** `… child to GOAL`, `… someone GOAL`, `fork [from MARK] and GOAL`. Without a goal the child does the task above. */
export function goalSlot({ opener, said, words, known }: Clause): Filled {
  const from = markWord({ said, words })
  const mark = from ? typed(said, [from]) : ''
  const agent = words.findIndex(({ norm }) => AGENTS.test(norm))
  const start = goalStart(words, { opener, agent, least: from ? words.indexOf(from) + 1 : 0 })
  const goal = withoutAside(words.slice(start))
  const text = `${words[start - 1]?.norm === 'on' ? 'work on ' : ''}${typed(said, goal)}`
  const args = [knownMark(mark, known) ?? mark, goal.length > 0 ? `-- ${text}` : '']
  const used = [...(from ? [from] : []), ...words.slice(goal.length > 0 ? start : words.length)]
  // "Tell the child to hurry" and "ask agent k3f9ab" are meant for one that is there.
  const next = words[agent + 1]
  const isThere =
    agent >= 0 &&
    agent < start &&
    (THIS_ONE.test(words[agent - 1]?.norm ?? '') || (next && looksLikeId(typed(said, [next]))))
  const isWanted = AGENTS.test(opener) && words[0]?.norm === 'to'
  return { args: args.filter(Boolean).join(' '), used, weight: isThere ? -2 : isWanted ? 1 : from ? 0.5 : 0 }
}

const LINK = /^(?:and|to|that|who|which|on|for|:|--)$/
const BEFORE_GOAL =
  /^(?:and|to|that|who|which|on|for|with|,|:|--|then|please|it|should|has|have|will|can|let|him|her|goal|task)$/

function goalStart(
  words: readonly Word[],
  { opener, agent, least }: { opener: string; agent: number; least: number },
): number {
  const link = words.findIndex(({ norm }, index) => index >= least && LINK.test(norm))
  const between = words.slice(agent + 1, link)
  const isDirect =
    agent >= 0 &&
    (link < 0 ||
      (agent < link &&
        between.some(({ norm }) => !/^(?:of|yourself|you|else|please|for|me|us|now|,)$/.test(norm))))
  let start = isDirect ? agent + 1 : link < 0 ? words.length : link
  if (link < 0 && /^(?:delegate|outsource)$/.test(opener)) start = 0
  while (BEFORE_GOAL.test(words[start]?.norm ?? '')) start++
  return start
}

/** `fork from MARK`, `fork MARK`, `fork MARK -- GOAL`. */
function markWord({ said, words }: Pick<Clause, 'said' | 'words'>): Word | undefined {
  const [first, second] = words
  if (/^(?:from|at)$/.test(first?.norm ?? '')) {
    return second && !/^(?:here|this|now|the|there)$/.test(second.norm) ? second : undefined
  }
  const isAlone = !second || second.kind === 'pause' || second.norm === 'and'
  return first && isAlone && looksLikeName(typed(said, [first])) ? first : undefined
}

/** `GOAL in the background`. */
export function asideSlot({ said, words }: Clause): Filled | undefined {
  const goal = withoutAside(words)
  if (goal.length === words.length || goal.length < 2 || NO_ORDER.test(goal[0]?.norm ?? '')) return undefined
  return { args: `-- ${typed(said, goal)}`, used: goal, weight: 0 }
}

const ASIDE_WORDS_MAX = 4
const ASIDE =
  /^(?:in the background|meanwhile|in the meantime|in parallel|on the side|while we \w+|at the same time)$/
/** What no order begins with. */
const NO_ORDER =
  /^(?:i|you|we|he|she|it|they|there|this|that|the|an?|my|your|our|his|her|what|who|why|how|when|where|which|is|are|was|were|do|does|did|has|have|had|not|never|no|in|on|at|of|with|by|for|something|someone|everything|nothing)$/

function withoutAside(words: readonly Word[]): Word[] {
  const part = trim(words)
  const norms = part.map(({ norm }) => norm)
  const isAside = (from: number, to: number): boolean => ASIDE.test(norms.slice(from, to).join(' '))
  for (let length = ASIDE_WORDS_MAX; length > 0; length--) {
    if (isAside(-length, part.length)) return trim(part.slice(0, -length))
    if (isAside(0, length)) return trim(part.slice(length))
  }
  return part
}

function trim(words: readonly Word[]): Word[] {
  const first = words.findIndex((word) => !isLoose(word))
  return first < 0 ? [] : words.slice(first, words.findLastIndex((word) => !isLoose(word)) + 1)
}

function isLoose({ norm, kind }: Word): boolean {
  return kind === 'pause' || kind === 'stop' || /^(?:please|thanks)$/.test(norm)
}

/** `ID that MESSAGE`, `MESSAGE to ID`. */
export function messageSlot(clause: Clause): Filled | undefined {
  const { said, words } = clause
  const agent = agentIn(clause)
  if (!agent) return whichAgent(clause)
  const before = trim(words.slice(0, agent.at).filter(({ norm }) => !BEFORE_ID.test(norm)))
  // "Tell Anna that k3f9ab is slow" is for Anna.
  if (before.length > 0 && !/^(?:to|agent|child)$/.test(words[agent.at - 1]?.norm ?? '')) return undefined
  const after = words.slice(agent.at + 1)
  const rest = after.slice(0, after.findLastIndex(({ kind }) => kind === 'word' || kind === 'quote') + 1)
  const noun = rest.slice(0, 3).findIndex(({ norm }) => /^(?:message|note|mail)$/.test(norm))
  let at = noun + 1
  while (/^(?:that|to|know|saying|,|:|--)$/.test(rest[at]?.norm ?? '')) at++
  const message = rest.length > at ? rest.slice(at) : before
  const missing = `What should I write to ${agent.id}? Say for example "tell ${agent.id} that the deadline moved".`
  const filled = message.length > 0 ? { args: `${agent.id} ${typed(said, message)}` } : { missing }
  return { ...filled, used: words, weight: 1.5 }
}

const BEFORE_ID = /^(?:to|the|agent|child|this|on|a|message|note|mail|that)$/

/** `ID`, `agent ID`, or `the child` where it is clear which one. */
export function agentSlot(clause: Clause): Filled | undefined {
  const agent = agentIn(clause)
  if (agent) return { args: agent.id, used: clause.words.slice(agent.at, agent.at + 1), weight: 1.5 }
  return whichAgent(clause)
}

function whichAgent({ words }: Clause): Filled | undefined {
  if (!words.some(({ norm }, at) => AGENTS.test(norm) && THIS_ONE.test(words[at - 1]?.norm ?? '')))
    return undefined
  const missing =
    'Which agent? Its id is needed, as in "stop k3f9ab" or "tell k3f9ab that …"; `/agents` lists them.'
  return { missing, used: words, weight: 1.5 }
}

function agentIn({ said, words, known }: Clause): { at: number; id: string } | undefined {
  const ids = words.map((word) => (word.kind === 'word' ? typed(said, [word]).toLowerCase() : ''))
  const at = ids.findIndex((id, index) => {
    if (looksLikeId(id) || known.children.includes(id)) return true
    const isPart = id.length >= limits.handlePrefixMin && known.children.some((child) => child.startsWith(id))
    return AGENTS.test(words[index - 1]?.norm ?? '') && (isPart || SPOKEN_ID.test(id))
  })
  if (at >= 0) return { at, id: ids[at] ?? '' }
  const [only, ...others] = known.children
  const spoken = words.findIndex(({ norm }) => AGENTS.test(norm) && norm !== 'someone')
  return only !== undefined && others.length === 0 && spoken >= 0 ? { at: spoken, id: only } : undefined
}

/** Without "agent" before it, a word without a digit could be any word. */
function looksLikeId(word: string): boolean {
  return word.length === limits.handleLength && /^(?=.*\d)(?=.*[a-z])[0-9a-z]+$/.test(word)
}

const SPOKEN_ID = /^(?:(?=.*\d)[0-9a-z]{3,6}|[0-9a-hjkmnp-tv-z]{6})$/
