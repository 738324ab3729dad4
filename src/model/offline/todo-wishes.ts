import { ASKED_LEAD, POLITE_LEAD } from './errand-lead.ts'
import { cutTime, DUE_BY, tidied } from './time-cut.ts'

/** What is wished of the to-do list. */
export type TodoWish =
  | { readonly kind: 'add'; readonly items: readonly { readonly text: string; readonly due?: string }[] }
  | { readonly kind: 'list'; readonly which: 'open' | 'done' | 'all' }
  | { readonly kind: 'change'; readonly tool: 'todo_done' | 'todo_delete'; readonly words: string }
  | { readonly kind: 'change'; readonly tool: 'todo_update'; readonly words: string; readonly text: string }

function asked(words: string): RegExp {
  return new RegExp(String.raw`^${POLITE_LEAD}${ASKED_LEAD}(?:${words})$`, 'isu')
}

const LIST_NAME = String.raw`(?:(?<shop>shopping|grocery|groceries) list|(?:to[- ]?dos?|tasks?|check)[- ]?(?:list)?|list(?: of (?:to[- ]?dos|tasks|things to do))?|to[- ]?do\.md|agenda of tasks)`
const LIST = String.raw`(?:my|the|our|your) ${LIST_NAME}`
const TASK = String.raw`(?:to[- ]?dos?|task|todo item|list item)`
const COLON = String.raw`(?:\s*[:–]\s*|\s+-{1,2}\s+)`
const A = String.raw`(?:(?:a|an|another|one|new|the)\s+)*`
const ADD = String.raw`(?:add|put|place|write|note|jot|stick|throw|get|include|enter|save|pop|append|log)(?: down)?`

const ADDED = [
  asked(String.raw`${ADD} (?<items>\S.*?) (?:down )?(?:to|on|onto|in|into|for) ${LIST}(?<after>\s.*)?`),
  asked(
    String.raw`${ADD} (?:the following |this |these )?(?:to|on|onto|in|into) ${LIST}${COLON}?\s*(?<items>\S.*)`,
  ),
  asked(
    String.raw`(?:${ADD}|create|make|set|i have|i've got) ${A}${TASK}(?: for me)?(?:${COLON}| to | called | for | about )(?<items>\S.*)`,
  ),
  asked(String.raw`${A}${TASK}${COLON}(?<items>\S.*)`),
  asked(
    String.raw`(?<items>\S.*?) (?:goes|should go|must go|belongs|has to go|needs to go|needs to be|should be) on(?:to)? ${LIST}`,
  ),
  asked(
    String.raw`(?:i|we) (?:have to|need to|must|should|want to|ought to) (?<items>\S.*?)[,;:]? (?:so |and |please )*(?:${ADD}) (?:it|that|this) (?:to|on|onto|in) ${LIST}`,
  ),
]

const OPEN_LIST = [
  asked(
    String.raw`(?:what(?: is|'s|s| do i have| have i(?: got)?| else is)?(?: left| still| there| all)*|anything(?: left| else| still)?|is (?:there )?anything(?: left| else| still)?) on ${LIST}(?: today| now| right now| for today| still)?`,
  ),
  asked(
    String.raw`(?:show|list|read|display|see|view|open|give|tell|print|check)(?: me| us| out)* (?:what(?: is|'s) on )?(?:all )?(?:of )?(?:my|the|our) (?:(?:open|pending|remaining|current) )?(?:${TASK}s?(?: list)?|tasks|(?:to[- ]?do |task |shopping |grocery )?list)(?: please)?`,
  ),
  asked(
    String.raw`what(?: else)? (?:do i (?:still )?(?:have|need|got) to do|must i(?: still)? do|have i (?:got )?to do|(?:is|'s) (?:still )?(?:left|there|open)(?: for me)? to do|am i supposed to do)(?: today| now| next| this week| still| tomorrow)?`,
  ),
  asked(
    String.raw`(?:what|which) (?:are |is )?(?:my |the |of my )?(?:(?:open|pending|remaining) )?(?:to[- ]?dos?|tasks)(?: do i have| are (?:there|open|left|pending)| (?:for )?today| have i got| left)*`,
  ),
  asked(String.raw`(?:my |the )?(?:to[- ]?do list|to[- ]?dos|todos)(?: please)?`),
  asked(
    String.raw`(?:do i have|are there|have i got|any)(?: any)?(?: open| pending| more)? (?:to[- ]?dos|tasks)(?: left| today| open)?`,
  ),
]
const DONE_LIST = [
  asked(
    String.raw`(?:what|which)(?: to[- ]?dos| tasks| things)? (?:have i|did i|i have|i've)(?: already)? (?:done|do|finished|completed|ticked off|crossed off|finish)(?: (?:on|from|off) ${LIST}| so far| already| today)*`,
  ),
  asked(
    String.raw`(?:show|list|display)(?: me)? (?:my |the |all )*(?:done|finished|completed|ticked) (?:to[- ]?dos|tasks|items)`,
  ),
]
const ALL_LIST = [
  asked(
    String.raw`(?:show|list|display)(?: me)? (?:all|every|everything on)(?: of)?(?: my| the| our)? (?:to[- ]?dos|tasks|${LIST_NAME.replace('?<shop>', '?:')}),? ?(?:also|including|done and open|open and done|even|with)(?: the)? ?(?:done|finished)?(?: ones)?`,
  ),
]

const OFF = String.raw`(?: (?:off|from|on|in) ${LIST.replace('?<shop>', '?:')})?`
const TICKED = [
  asked(String.raw`(?:tick|check|cross|mark|strike|scratch) off (?<words>\S.*?)${OFF}`),
  asked(
    String.raw`(?:tick|check|cross|strike|scratch) (?<words>\S.*?) off${OFF.replace('(?:off|from|on|in) ', '(?:from |on |in )?')}`,
  ),
  asked(
    String.raw`(?:mark|set|tick|check|flag) (?<words>(?!this\b|it\b|that\b|here\b|the (?:spot|place|point|context|conversation)\b)\S.*?) (?:as |to )?(?:done|complete|completed|finished|ticked)${OFF}`,
  ),
  asked(
    String.raw`(?:the |my )?${TASK} (?<words>\S.*?) (?:is|has been|'s) (?:now )?(?:done|finished|complete|completed|ticked off)`,
  ),
]
/** Said of other things as well, so only of something that is named as known, in few words. */
const KNOWN_ONE = String.raw`(?<words>(?:(?:the|my|our|number|item|no\.) |#|(?=["“'‘]))\S+(?: \S+){0,3}?)`
const DONE = [
  asked(
    String.raw`(?:i|we)(?:'ve| have|'m| am)?(?: just| already| now| finally)* (?:done|did|finished|finished with|done with|completed|taken care of)(?: with)? ${KNOWN_ONE}(?: now| already| today| just now)?`,
  ),
  asked(
    String.raw`${KNOWN_ONE} (?:is|are|has been) (?:now |already |finally )*(?:done|finished|ticked off|taken care of)(?: now| already)?`,
  ),
  asked(String.raw`(?:done|finished)(?: with)?(?:${COLON}| )${KNOWN_ONE}`),
]
const NOT_DONE =
  /^(?:this|that|it|all|everything|nothing|something|what|who|i|you|he|she|they|we|there|here|my best|the right thing)\b|\b(?:not|never|yesterday|ago|last|because|which|who|but|when|if|before|said)\b|[,;?]/iu

const DELETED = [
  asked(
    String.raw`(?:remove|delete|take|drop|erase|clear|cut|get rid of) (?<words>\S.*?) (?:from|off|off of|out of) ${LIST}`,
  ),
  asked(
    String.raw`(?:remove|delete|drop|forget|scrap|erase|cancel|get rid of) (?:the |my |that )*${TASK}(?: (?:about|for|to|called|named|of)|${COLON})? (?<words>\S.*?)`,
  ),
  asked(
    String.raw`(?:remove|delete|drop|forget|scrap|erase|cancel|get rid of) (?:the |my |that )*(?<words>\S.*?) ${TASK}`,
  ),
  asked(
    String.raw`(?<words>\S.*?) (?:can|should|may|must) (?:come|go|be taken|be removed|be deleted) (?:off|from) ${LIST}`,
  ),
]
const CHANGED = [
  asked(
    String.raw`(?:change|rename|reword|edit|update|correct|turn|make|replace) (?<words>\S.*?) (?:to|into|with|by) (?<text>\S.*?) (?:on|in) ${LIST}`,
  ),
  asked(
    String.raw`(?:change|rename|reword|edit|update|correct|turn|replace) (?:the |my )*(?:${TASK} )(?:about |called |named )?(?<words>\S.*?) (?:to|into|with|by)${COLON}?\s*(?<text>\S.*)`,
  ),
  asked(
    String.raw`(?:change|rename|reword|edit|update|correct|turn|replace) (?:the |my )*(?<words>\S.*?) ${TASK} (?:to|into|with|by)${COLON}?\s*(?<text>\S.*)`,
  ),
  asked(
    String.raw`on ${LIST},? (?:change|rename|reword|edit|update|correct|turn|make|replace) (?<words>\S.*?) (?:to|into|with|by) (?<text>\S.*)`,
  ),
  asked(
    String.raw`(?:change|rename|reword) (?<words>(?:the |number |#)?\S+(?: \S+){0,3}?) (?:to|into) (?<text>\S+(?: \S+){0,7})`,
  ),
]
/** Things that have names and values of their own. */
const NOT_LISTED =
  /\b(?:model|subject|topic|language|time ?zone|zone|password|name|settings?|mode|colou?r|theme|title|reminder|alarm|meeting|appointment|mind|plans?|font|branch|file|budget|capacity|you|me|it|this|that|everything)\b/iu

const PRONOUN =
  /^(?:it|this|that|these|those|them|something|anything|everything|things|stuff|some|more|me|you|him|her|us|a few things)$/iu

export function todoWishIn(bare: string, today: string | undefined): TodoWish | undefined {
  if (OPEN_LIST.some((form) => form.test(bare))) return { kind: 'list', which: 'open' }
  if (DONE_LIST.some((form) => form.test(bare))) return { kind: 'list', which: 'done' }
  if (ALL_LIST.some((form) => form.test(bare))) return { kind: 'list', which: 'all' }
  return changeIn(bare) ?? addIn(bare, today)
}

function changeIn(bare: string): TodoWish | undefined {
  for (const form of CHANGED) {
    const { words = '', text = '' } = form.exec(bare)?.groups ?? {}
    if (words === '' || NOT_LISTED.test(words)) continue
    return { kind: 'change', tool: 'todo_update', words: named(words), text: unquoted(tidied(text)) }
  }
  const deleted = wordsIn(bare, DELETED)
  if (deleted !== undefined && !PRONOUN.test(deleted))
    return { kind: 'change', tool: 'todo_delete', words: named(deleted) }
  const ticked = wordsIn(bare, TICKED)
  if (ticked !== undefined && !PRONOUN.test(ticked))
    return { kind: 'change', tool: 'todo_done', words: named(ticked) }
  const done = wordsIn(bare, DONE)
  if (done === undefined || NOT_DONE.test(done)) return undefined
  return { kind: 'change', tool: 'todo_done', words: named(done) }
}

function wordsIn(bare: string, forms: readonly RegExp[]): string | undefined {
  for (const form of forms) {
    const words = form.exec(bare)?.groups?.['words']
    if (words !== undefined) return words
  }
  return undefined
}

function named(words: string): string {
  return unquoted(tidied(words).replace(/^(?:the|my|our) /iu, ''))
}

function addIn(bare: string, today: string | undefined): TodoWish | undefined {
  for (const form of ADDED) {
    const { items = '', after = '', shop } = form.exec(bare)?.groups ?? {}
    if (items === '' || (after !== '' && !isDue(after, today))) continue
    const { task, when } = cutTime(`${items}${after}`, { today, links: DUE_BY })
    const texts = itemsIn(task, shop !== undefined)
    if (texts.length === 0) return undefined
    return { kind: 'add', items: texts.map((text) => ({ text, ...(when !== undefined && { due: when }) })) }
  }
  return undefined
}

/** Behind the list only a time may follow: "to the list of guests" is another list. */
function isDue(after: string, today: string | undefined): boolean {
  return cutTime(after, { today, links: DUE_BY }).task === ''
}

const ITEM_WORDS_MAX = 3

/** "Milk, eggs and bread" are three; a sentence with a comma is one. */
function itemsIn(task: string, isShopping: boolean): string[] {
  const whole = unquoted(task)
  if (whole === '' || PRONOUN.test(whole)) return []
  const split = whole.split(/,\s*(?:and\s+)?|\s+and\s+/iu).map((item) => item.trim())
  const isList = whole.includes(',') && split.length > 2
  const isShort = split.every((item) => item !== '' && item.split(/\s+/u).length <= ITEM_WORDS_MAX)
  const items = isList && isShort ? split : [whole.replace(/^to (?=\w)/iu, '')]
  return isShopping ? items.map((item) => (/^(?:buy|get)\b/iu.test(item) ? item : `buy ${item}`)) : items
}

function unquoted(words: string): string {
  return words.replaceAll(/^["“„«'‘`]+|["”“»'’`]+$/gu, '').trim()
}
