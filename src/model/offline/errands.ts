import { sentencesOf } from '../extract/sentences.ts'
import { changeErrand, type Choice, type Errand } from './errand.ts'
import { answerIn, remindErrand, whatQuestion, whenQuestion } from './errand-questions.ts'
import { peaceIn } from './pause-wishes.ts'
import { reminderListIn } from './reminder-lists.ts'
import { type Reminding, remindingIn } from './reminder-wishes.ts'
import { todoWishIn, type TodoWish } from './todo-wishes.ts'

export type ErrandPart =
  | Errand
  | Choice
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'other'; readonly text: string }

export interface ErrandPlace {
  readonly today: string | undefined
  /** What was answered last: a question, perhaps. */
  readonly asked: string
}

/** A text of more sentences is something to read. */
const SENTENCES_MAX = 12
/** Longer ones are no plain wishes. */
const SENTENCE_CHARS_MAX = 400

/** "Remind me to call mum at 9. Any mail?": undefined where no reminder and no to-do is meant. */
export function errandParts(said: string, place: ErrandPlace): ErrandPart[] | undefined {
  const own = said.replaceAll(/^[ \t]*>.*$/gmu, '').replaceAll(/```[\s\S]*?(?:```|$)/gu, '')
  const sentences = sentencesOf(own)
  if (sentences.length > SENTENCES_MAX) return undefined
  const parts: ErrandPart[] = []
  for (const [at, sentence] of sentences.entries()) {
    const answer = at === 0 ? answerIn(bareOf(sentence), place) : undefined
    const found = answer === undefined ? wishesIn(sentence, sentences[at - 1] ?? '', place) : [answer]
    const last = parts.at(-1)
    if (found !== undefined) parts.push(...found)
    else if (last?.kind === 'other') parts.splice(-1, 1, { kind: 'other', text: `${last.text}\n${sentence}` })
    else parts.push({ kind: 'other', text: sentence })
  }
  return parts.every(({ kind }) => kind === 'other') ? undefined : parts
}

const ENDING = /(?:[\s,]+(?:please|pls|thanks|thank you|thx|ok|okay))*[\s.!?…]*$/iu

function bareOf(sentence: string): string {
  return sentence.replaceAll('’', "'").trim().replace(ENDING, '')
}

/** Where another wish may begin. */
const JOINT =
  /(?:,|;)?\s+(?:and|then|also|plus)(?:\s+(?:also|then|please))*\s+(?=(?:remind|add|put|set|cancel|delete|remove|tick|check|cross|ping|nudge|wake|show|list|what|don't let)\b)/giu
/** What may not stand before a wish that follows a comma. */
const NO_LEAD =
  /^(?:if|when|whenever|once|unless|until|after|before|suppose|assuming|do not|don't|dont|never|no|not|he|she|they|what|how|why|should|shall|while)\b|\b(?:said|says|told|wrote|asked|not|never|ask|tell)\b/iu

function wishesIn(sentence: string, before: string, place: ErrandPlace): ErrandPart[] | undefined {
  if (sentence.length > SENTENCE_CHARS_MAX) return undefined
  const bare = bareOf(sentence)
  const isQuestion = /\?\s*$/u.test(sentence) && !REQUEST.test(bare)
  const around = { ...place, before: bareOf(before), isQuestion }
  const pieces = bare.split(JOINT)
  if (pieces.length > 1) {
    const all = pieces.map((piece) => wishIn(piece, around))
    if (all.every((one) => one !== undefined)) return all.flat()
  }
  return wishIn(bare, around) ?? behindComma(bare, around)
}

const REQUEST = /^(?:please,? |hey,? |ok,? |hi,? )*(?:can|could|would|will|may) (?:you|i)\b/iu

interface Around extends ErrandPlace {
  readonly before: string
  readonly isQuestion: boolean
}

function behindComma(bare: string, around: Around): ErrandPart[] | undefined {
  const [comma] =
    /(?:,| [-–]|;) (?=[^,;]*$)| so (?=(?:please )?(?:remind|don't let|ping|nudge|add|put)\b)/iu.exec(bare) ??
    []
  if (comma === undefined) return undefined
  const at = bare.lastIndexOf(comma)
  const head = bare.slice(0, at).trim()
  if (NO_LEAD.test(head)) return undefined
  return reminding(bare.slice(at + comma.length), { ...around, before: head })
}

function wishIn(bare: string, around: Around): ErrandPart[] | undefined {
  return reminding(bare, around) ?? peace(bare, around) ?? listing(bare, around) ?? todo(bare, around)
}

function peace(bare: string, { isQuestion }: Around): ErrandPart[] | undefined {
  const text = isQuestion ? undefined : peaceIn(bare)
  return text === undefined ? undefined : [{ kind: 'say', text }]
}

function reminding(bare: string, around: Around): ErrandPart[] | undefined {
  const wish = remindingIn(bare, around)
  if (wish === undefined) return undefined
  const { task, when } = wish
  if (wish.obstacle !== undefined) return [{ kind: 'say', text: obstacleText(wish) }]
  if (task.words === '') return [{ kind: 'say', text: when === undefined ? ALL_MISSING : whatQuestion(when) }]
  return [when === undefined ? { kind: 'say', text: whenQuestion(task) } : remindErrand(task, when)]
}

const ALL_MISSING =
  'What shall I remind you of, and when? Say for example "remind me to call mum tomorrow at 9".'
const REPEATS =
  'I set reminders that come once. What comes again and again is a routine: `mainstem routine add` sets one.'
const TIMES =
  'That names more than one time, so nothing is set yet. Say one after the other: "remind me to call mum at 9", then "remind me to call mum at 10".'
const CONDITION = 'I can remind you at a time, but not when something happens.'

/** A shell reads it: what means something there is left out of the words. */
function repeatsText(words: string, cron: string): string {
  const text = words.replaceAll(/["`$\\!]/gu, '').trim() || 'TEXT'
  return `I set reminders that come once. What comes again and again is a routine. This sets it: \`mainstem routine add "${text}" --cron "${cron}"\``
}

function obstacleText({ task, obstacle, cron }: Reminding): string {
  if (obstacle === 'times') return TIMES
  if (obstacle === 'repeats') return cron === undefined ? REPEATS : repeatsText(task.words, cron)
  return task.words === '' ? CONDITION : `${CONDITION} ${whenQuestion(task)}`
}

const NO_MOVE =
  'I cannot move a reminder. Cancel it, and set it anew: "cancel the dentist reminder", "remind me about the dentist on Friday at 9".'

function listing(bare: string, { isQuestion }: Around): ErrandPart[] | undefined {
  const wish = reminderListIn(bare)
  if (wish?.kind === 'list') return [{ kind: 'errand', tool: 'list_reminders', args: {} }]
  if (wish === undefined || isQuestion) return undefined
  if (wish.kind === 'move') return [{ kind: 'say', text: NO_MOVE }]
  return [{ kind: 'choice', tool: 'cancel_reminder', words: wish.words, isAll: wish.isAll }]
}

function todo(bare: string, { today, isQuestion }: Around): ErrandPart[] | undefined {
  const wish = todoWishIn(bare, today)
  if (wish?.kind === 'list')
    return [{ kind: 'errand', tool: 'todo_list', args: wish.which === 'open' ? {} : { which: wish.which } }]
  if (wish === undefined || isQuestion) return undefined
  if (wish.kind === 'change') return [changing(wish)]
  return wish.items.map((args) => ({ kind: 'errand' as const, tool: 'todo_add' as const, args: { ...args } }))
}

const NUMBER = /^(?:number |no\.? ?|nr\.? ?|item |#)?(\d{1,4})$/iu

/** A number is what the person was shown: looking again would make it mean another. */
function changing(wish: Extract<TodoWish, { kind: 'change' }>): Errand | Choice {
  const { tool, words } = wish
  const text = wish.tool === 'todo_update' ? { text: wish.text } : {}
  const [, number] = NUMBER.exec(words) ?? []
  if (number !== undefined) return changeErrand({ tool, ...text }, number)
  return { kind: 'choice', tool, words, isAll: false, ...text }
}
