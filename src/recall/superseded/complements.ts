import { bagOf, type Bag } from './bag.ts'
import type { Found } from './claim.ts'
import type { Clause } from './clauses.ts'
import { isOccasional, occasionsIn } from './occasions.ts'
import { toldIn } from './told.ts'

/** What is told behind a verb and its object: where something is kept, who does it, how somebody goes, with what. */
export function complementsIn(clause: Clause): Found[] {
  const occasions = occasionsIn(clause.text)
  if (isOccasional(occasions)) return []
  const found = [
    ...kept(clause),
    ...noted(clause),
    ...done(clause),
    ...seen(clause),
    ...shared(clause),
    ...gone(clause),
  ]
  return [...found, ...served(clause)].map((claim) => ({ ...claim, occasions }))
}

const KEPT =
  /^(?<whose>.*?)\b(?:keeps?|stores?|parks?|hides?|stash(?:es)?|saves?)\s+(?:my|our|the|your)\s+(?<what>[\p{L}\p{N}' -]{2,40}?)\s+(?<where>(?:in|at|on|under|behind|inside|beside|near|with|above|below|beneath|between|next to)\s+.+)$/iu

/** "I keep my passport in the safe" says of the passport what "Passport: in the safe" says. */
function kept({ text, isHeld }: Clause): Found[] {
  const { whose = '', what = '', where = '' } = KEPT.exec(text)?.groups ?? {}
  if (where === '') return []
  return [{ about: bagOf(`${whose} ${what}`), told: toldIn(where, {}), isHeld }]
}

const NOTED =
  /^(?:(?:i|we|you)\s+)?(?:writes?|tracks?|manages?)\s+(?:my|our|your)\s+(?<what>[\p{L}' -]{2,40}?)\s+(?<where>in\s+.+)$/iu

/** "I write my notes in Obsidian". */
function noted({ text, isHeld }: Clause): Found[] {
  const { what = '', where = '' } = NOTED.exec(text)?.groups ?? {}
  return where === '' ? [] : [{ about: withMark('@noted', what), told: toldIn(where, {}), isHeld }]
}

const DONE =
  /^(?<who>\p{Lu}[\p{L}'.-]*(?:\s+\p{Lu}[\p{L}'.-]*){0,2})\s+(?<what>(?:looks after|takes care of|is responsible for|is in charge of|handles|manages|leads|runs)\s+(?:the|my|our)\s+.+)$/u

/** "Marta looks after the dog": one does. */
function done({ text, isHeld }: Clause): Found[] {
  const { who = '', what = '' } = DONE.exec(text)?.groups ?? {}
  return who === '' || /^(?:I|We|You|My|The|Our)\b/.test(who)
    ? []
    : [{ about: withMark('@who', what), told: toldIn(who, {}), isHeld }]
}

const SEEN =
  /^(?:(?:I|We|You)\s+)?(?:[Ss]ees?|[Gg]o(?:es)? to|[Vv]isits?|[Cc]onsults?)\s+(?<who>(?:(?:Dr|Mr|Mrs|Ms|Prof)\.?\s+)?\p{Lu}\S*(?:\s+\p{Lu}\S*)*)\s+for\s+(?<what>(?:my|our|the)\s+.+)$/u

/** "I see Dr. Roth for my back". */
function seen({ text, isHeld }: Clause): Found[] {
  const { who = '', what = '' } = SEEN.exec(text)?.groups ?? {}
  return who === '' ? [] : [{ about: withMark('@who', what), told: toldIn(who, {}), isHeld }]
}

const SHARED = /^(?:(?:i|we|you)\s+)?shares?\s+(?<what>(?:my|our|an?|the)\s+.+?)\s+with\s+(?<who>.+)$/iu

function shared({ text, isHeld, isLower }: Clause): Found[] {
  const { what = '', who = '' } = SHARED.exec(text)?.groups ?? {}
  if (who === '') return []
  return [{ about: withMark('@who', what), told: toldIn(who, { isName: true, isLower }), isHeld }]
}

const GONE =
  /^(?:(?:i|we|you)\s+)?(?<where>commutes?|(?:go|goes|travels?|gets?|comes?)\s+to\s+.+?)\s+by\s+(?<how>\p{L}+)$/iu

/** "I go to work by bike". */
function gone({ text, isHeld }: Clause): Found[] {
  const { where = '', how = '' } = GONE.exec(text)?.groups ?? {}
  return how === '' ? [] : [{ about: withMark('@by', where), told: toldIn(how, {}), isHeld }]
}

const SERVED =
  /^(?:(?:i|we|you)\s+)?(?:(?:always|usually|only|now)\s+)*(?:drinks?|takes?|likes?|eats?|have|has|prefers?|wants?|orders?)\s+(?:my\s+|our\s+|the\s+|an?\s+)?(?<what>[\p{L}-]+(?:\s+[\p{L}-]+)?)\s+(?:(?<lead>with|without)\s+(?:an?\s+|some\s+|any\s+|no\s+)?(?<more>.+)|(?<plain>black|neat|straight|unsweetened))$/iu
/** What is not in a drink that is called so. */
const LACKED: ReadonlyMap<string, readonly string[]> = new Map([
  ['black', ['milk', 'cream']],
  ['neat', ['ice', 'water', 'soda', 'coke', 'tonic']],
  ['straight', ['ice', 'water', 'soda', 'coke', 'tonic']],
  ['unsweetened', ['sugar', 'honey']],
])

/** "Coffee with milk", "tea without sugar", "coffee black": each thing that is in it, or is not. */
function served({ text, isHeld }: Clause): Found[] {
  const { what = '', lead = '', more = '', plain = '' } = SERVED.exec(text)?.groups ?? {}
  if (what === '') return []
  const isWith = lead.toLowerCase() === 'with'
  const things = LACKED.get(plain.toLowerCase()) ?? more.split(/\s*,\s*(?:and\s+)?|\s+(?:and|or)\s+/u)
  return things.map((thing) => ({
    about: withMark('@with', what),
    told: toldIn(thing, { isFull: true }),
    isHeld: isWith === isHeld,
  }))
}

function withMark(mark: string, words: string): Bag {
  return bagOf(words).union(new Set([mark]))
}
