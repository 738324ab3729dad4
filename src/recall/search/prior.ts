import {
  FIRST_PERSON as IS_FIRST_PERSON,
  HAS_NUMBER,
  HAS_TIME,
  IS_WISH,
  KIND_MASK,
} from '../contract/text-index.ts'
import { ASSISTANT } from '../../event/speaker.ts'
import { documentKinds } from '../contract/document.ts'
import { heard } from './people.ts'
import type { Question } from './question.ts'
import type { Indexed } from './indexed.ts'
import { nearness, type TimeHint } from './time-hint.ts'
import {
  BY_ASSISTANT,
  BY_FIRST_NAMED,
  BY_NAMED,
  FIRST_PERSON,
  IN_MONTH,
  IN_YEAR,
  IS_DERIVED,
  ON_DAY,
  NOT_AMONG_NAMED,
  WISHES,
  TELLS_HOW_MANY,
  TELLS_WHEN,
} from './weights.ts'

/** A document's weight apart from its words: who said it, when, and what kind of message it is. */
export function priorFor(index: Indexed, question: Question): (document: number) => number {
  const { columns } = index
  const { flags, speaker, branch, at } = columns
  const isWhen = question.asks === 'when'
  const isHowMany = question.asks === 'how-many'
  const assistant = index.speakers.indexOf(ASSISTANT)
  const bySpeaker = speakerPrior(index, question)
  const named = branchesOf(index, question.persons)
  const isNamed = named.size > 0
  return (document) => {
    const traits = flags[document] as number
    let prior = bySpeaker(speaker[document] as number)
    if (isNamed && !named.has(branch[document] as number)) prior *= NOT_AMONG_NAMED
    if (!isSaid(traits)) prior *= IS_DERIVED
    if (question.isRequest && traits & IS_WISH && speaker[document] !== assistant) prior *= WISHES
    if (traits & IS_FIRST_PERSON) prior *= FIRST_PERSON
    if (isWhen && traits & HAS_TIME) prior *= TELLS_WHEN
    if (isHowMany && traits & HAS_NUMBER) prior *= TELLS_HOW_MANY
    if (question.time !== null) prior *= timePrior(question.time, (at[document] as number) * 1_000)
    return prior
  }
}

function isSaid(traits: number): boolean {
  const kind = documentKinds[traits & KIND_MASK]
  return kind === 'user' || kind === 'assistant' || kind === 'note'
}

function speakerPrior(
  { speakers }: Indexed,
  { persons, isToAssistant }: Question,
): (speaker: number) => number {
  const assistant = speakers.indexOf(ASSISTANT)
  const [first, ...others] = persons
  const isFirst = (speaker: number) => first !== undefined && others.length <= 1 && first.has(speaker)
  return (speaker) => {
    if (isFirst(speaker)) return others.length === 0 ? BY_NAMED : BY_FIRST_NAMED
    return speaker === assistant && !isToAssistant ? BY_ASSISTANT : 1
  }
}

function timePrior(time: TimeHint, at: number): number {
  const weight = time.day !== null ? ON_DAY : time.month !== null ? IN_MONTH : IN_YEAR
  return 1 + weight * nearness(time, at)
}

/** Branches in which any of these people speaks. */
function branchesOf(index: Indexed, persons: readonly ReadonlySet<number>[]): ReadonlySet<number> {
  const { branches } = heard(index)
  return new Set(persons.flatMap((one) => [...one].flatMap((speaker) => [...(branches.get(speaker) ?? [])])))
}
