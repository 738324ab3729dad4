import { ASKED_LEAD, POLITE_LEAD } from './errand-lead.ts'

/** Asks for the reminders, or to cancel those that the words mean; '' means the one there is. */
export type ReminderList =
  | { readonly kind: 'list' }
  | { readonly kind: 'cancel'; readonly words: string; readonly isAll: boolean }
  /** Asks for what cannot be done. */
  | { readonly kind: 'move' }

function asked(words: string): RegExp {
  return new RegExp(String.raw`^${POLITE_LEAD}${ASKED_LEAD}(?:${words})$`, 'isu')
}

const MINE = String.raw`(?:(?:all|any|of|the|my|our|these|those|open|pending|upcoming|active|current|remaining|set|next|future|planned|outstanding)\s+)*`
const NOTED = String.raw`(?:reminders?|alarms?)`
const TILL = String.raw`(?: (?:do i have|are there|are set|have i set|have you set|are open|are pending|are left|are coming up|did i set|is there|have i got|i have|i set|do you have|you have)| (?:set|pending|open|left|coming up|for me|right now|now|at the moment|so far|for (?:today|tomorrow|this week|next week)|today|tomorrow|this week|next week|set up|scheduled|yet))*`

const LISTED = [
  asked(
    String.raw`(?:list|show|display|see|view|read|tell|give|check|print)(?: me| us| out)* (?:what )?${MINE}${NOTED}(?: list)?(?: are| is)?${TILL}`,
  ),
  asked(String.raw`(?:what|which|how many)(?: are| is| about|'s|'re|s)? ${MINE}${NOTED}${TILL}`),
  asked(
    String.raw`(?:do i have|have i got|are there|is there|have i set|did i set|got|any|my) ${MINE}${NOTED}${TILL}`,
  ),
  asked(String.raw`when(?: is|'s) (?:my|the) next ${NOTED}`),
  asked(String.raw`${NOTED}(?: list)?(?:,? please)?`),
  asked(
    String.raw`(?:what (?:will|would|do|are|did|have|should) (?:you|i) )(?:going to |ask(?:ed)? you to |told you to |want you to |want to be |tell you to |be |still )*remind(?:ed|ing)?(?: me)?(?: of| about| to do)?(?: ${TILL})?`,
  ),
  asked(
    String.raw`(?:(?:is there |do i have |have i got )?(?:anything|something)(?: else)?|what(?: is|'s|s)?(?: else)?) (?:is )?coming up(?: for me| today| tomorrow| this week| next| soon| next week)*`,
  ),
  asked(
    String.raw`(?:what(?: is|'s|s)|show me|anything)(?: there)? (?:on )?(?:my|the) (?:agenda|schedule)(?: for)?(?: today| tomorrow| this week)?`,
  ),
  asked(String.raw`anything (?:on )?(?:my|the) (?:agenda|schedule)(?: today| tomorrow| this week)?`),
]

const CANCEL = String.raw`(?:cancel|delete|remove|drop|stop|scrap|forget|dismiss|clear|unset|call off|turn off|switch off|get rid of|throw away|erase|discard|kill|disable|skip|ditch|undo|never ?mind|lose|take back)`
const THE = String.raw`(?:(?:the|my|that|this|our|a|any|about|set|upcoming)\s+)*`
const END = String.raw`(?: any ?more| any longer| now| again| after all| then| from (?:the|my) list| i set(?: earlier| up)?| you set)*`
const OF = String.raw`(?: (?:that(?:'s| is)? |which is |set )?(?:about|for|to|of|at|on|regarding|called|named|saying|with)|\s*:)`

const ALL = asked(
  String.raw`${CANCEL} (?:all|every one|each)(?: of)?(?: the| my| those| these| our| open| pending)* ${NOTED}|${CANCEL} (?:my|the|all|every)(?: open| pending)? reminders${END}`,
)
const CANCELLED = [
  asked(
    String.raw`${CANCEL} ${THE}(?<words>(?:last |first |second |third |latest |newest |next )?)(?:one |single )?${NOTED}${END}`,
  ),
  asked(String.raw`${CANCEL} ${THE}${NOTED}${OF} (?<words>\S.*?)${END}`),
  asked(String.raw`${CANCEL} (?:about )?${THE}(?<words>\S.*?) ${NOTED}${END}`),
  asked(String.raw`${CANCEL} ${NOTED} (?<words>\S+)`),
]
const NOT_NEEDED = [
  String.raw`(?:i (?:do not|don't|dont|no longer|won't) (?:need|want|require)|there(?: is|'s) no need for|no need for|no more need for) ${THE}(?<words>\S.*?) ${NOTED}${END}`,
  String.raw`(?:i (?:do not|don't|dont|no longer|won't) (?:need|want|require)|there(?: is|'s) no need for|no need for|no more need for) ${THE}${NOTED}${OF} (?<words>\S.*?)${END}`,
  String.raw`(?:there(?: is|'s) )?no need to remind me(?: about| of| to| that)? (?<words>\S.*?)${END}`,
  String.raw`(?:you (?:do not|don't|dont|no longer) (?:need|have) to|you can stop|you may stop|you need not|please do not|do not|don't|dont|stop) remind(?:ing)? me(?: about| of| to| that)? (?<words>\S.*?)${END}`,
  String.raw`i (?:do not|don't|dont|no longer) (?:need|want|have) to be reminded(?: about| of| to| that)? (?<words>\S.*?)${END}`,
  String.raw`${THE}(?<words>\S.*?) ${NOTED} (?:can go|can be (?:cancelled|canceled|deleted|removed|dropped)|is (?:not|no longer) needed|isn't needed|is obsolete)${END}`,
].map((words) => new RegExp(String.raw`^${POLITE_LEAD}(?:${words})$`, 'isu'))

const MOVED = asked(
  String.raw`(?:move|change|shift|push|postpone|delay|reschedule|edit|update) ${THE}(?:\S.* )?${NOTED}(?: .*)? (?:to|till|until|by|for|back) .+`,
)
/** Times and conditions say more than which one. */
const NO_CANCEL = /\b(?:if|when|unless|until|because|said|and then)\b|[?]$/iu

export function reminderListIn(bare: string): ReminderList | undefined {
  if (LISTED.some((form) => form.test(bare))) return { kind: 'list' }
  if (ALL.test(bare)) return { kind: 'cancel', words: '', isAll: true }
  for (const form of [...CANCELLED, ...NOT_NEEDED]) {
    const words = form.exec(bare)?.groups?.['words']
    if (words !== undefined && !NO_CANCEL.test(words)) return { kind: 'cancel', words, isAll: false }
  }
  return MOVED.test(bare) ? { kind: 'move' } : undefined
}
