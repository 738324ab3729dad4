import { tidied } from './time-cut.ts'

/** `to call mum`, `about the oven`: what somebody is to be reminded of; '' where nothing is named. */
export interface Task {
  readonly link: 'to' | 'about' | 'that' | ''
  readonly words: string
}

/** May stand before a request without changing it. */
export const POLITE_LEAD = String.raw`(?:(?:please|pls|plz|kindly|ok|okay|hey|hi|hello|mainstem|and|also|oh|so|well|yes|btw|by the way|just|now|then|actually|quickly|great|thanks|right|alright)\b[\s,:!–-]*)*`
export const ASKED_LEAD = String.raw`(?:(?:(?:can|could|would|will) you(?: please| kindly| just)*|(?:can|could|may) i|(?:i|we)(?: want| need|'d like| would like) you to|i(?:'d| would) like(?: to)?|i (?:want|need) to|you (?:should|must|have to|need to|can)|make sure (?:to|you)|be sure to|(?:remember|do not forget|don't forget)(?: to)?(?= remind)|let's|let us|go ahead and|would you mind)\s+)?(?:please\s+)?`

const LINK =
  /^(?:,?\s*please,?\s*)?(?:(?<to>to|that i (?:have to|need to|must|should))|(?<about>about|of|for|regarding|on|re|because of)|(?<that>that|saying|which says|called|titled|named|with the (?:text|words|message)))(?:\s*:)?\s+(?=\S)/iu
const QUOTES = /^["“„«'‘]+(.*?)["”“»'’]+$/su

/** `to call mum`, taken apart. */
export function capturedTask(words: string): Task {
  const text = tidied(
    words.replace(/[\s,]+(?:please|pls|thanks|thank you|will you|would you|can you|ok|okay)[.!?]*$/iu, ''),
  )
  const { to, about, that } = LINK.exec(text)?.groups ?? {}
  const link = to === undefined ? (about === undefined ? (that === undefined ? '' : 'that') : 'about') : 'to'
  const rest = tidied(text.replace(LINK, ''))
  return { link, words: QUOTES.exec(rest)?.[1]?.trim() ?? rest }
}
