/** What is said to somebody who asks how forks end, or asks for an end in words that could mean several. */
export function forkHint(sentence: string, place: 'main' | 'fork'): string | undefined {
  const bare = sentence.replaceAll('’', "'").replace(ENDING, '')
  if (place === 'fork') return [ASKED, LOOSE, JUST_FORK].some((form) => form.test(bare)) ? IN_FORK : undefined
  if (ASKED.test(bare) && OF_FORKS.test(bare)) return IN_MAIN
  return JUST_FORK.test(bare) ? WHICH_FORK : undefined
}

const IN_FORK =
  'We are in a fork: `/save` makes it part of main, `/report` tells main about it, `/exit` drops it, and `/switch main` goes back and leaves it open.'
const OPEN_ONE = 'If one is open, `/agents` shows its id, and `/switch ID` goes back to it.'
const IN_MAIN = `That is about forks: \`/fork\` opens one to talk in, aside from main. There \`/save\` makes it part of main, \`/report\` tells main about it, \`/exit\` drops it. ${OPEN_ONE}`

export const NO_FORK = `As far as I see we are not in a fork, so there is none to end. \`/fork\` opens one; there \`/save\`, \`/report\` and \`/exit\` end it. ${OPEN_ONE}`

const WHICH_FORK =
  'To talk in a fork, aside from main, say "open a fork". To have a child do something, say for example "fork this and compare the two drafts".'

/** In main, "can I go back?" is about something else. */
const OF_FORKS = /\b(?:save|report|exit|merge|main|forks?|tangent)\b/iu
const FORK = String.raw`(?:(?:this|the|a|our|my) )?(?:fork|tangent|forks)`
const WHAT = String.raw`(?: (?:this|it|that|here|${FORK}|(?:this|the|our) (?:conversation|chat|talk)))?`
const WHERE = String.raw`(?: (?:back )?(?:to|into|in|from|of) (?:(?:the )?main(?: (?:session|conversation))?|here|${FORK}))?`
const ENDS = String.raw`(?:save|report|exit|leave|end|close|drop|merge|(?:go|get|come) (?:back|out))`

const ASKED = new RegExp(
  [
    String.raw`^(?:so |and |but |ok,? )*(?:(?:how (?:do|can|would) i|what happens (?:when|if) i|can i|how to) ${ENDS}${WHAT}${WHERE}`,
    String.raw`what (?:does|do|is|are) \/?(?:save|report|exit)(?: (?:do|mean|for|here))*`,
    String.raw`what is the difference between \/?(?:save|report|exit)(?:,? (?:and )?\/?(?:save|report|exit))+`,
    String.raw`how (?:does|do|can|is|are) ${FORK} (?:end|ended|saved|closed|left))$`,
  ].join('|'),
  'iu',
)
/** Three ends lead back, and they leave different things behind. */
const LOOSE =
  /^(?:please |ok,? |and |now )*(?:(?:i want|i'd like|i would like|i need|let me|let us|let's|can we|could we)(?: to)? )?(?:(?:go|get|come|take me|bring me) back|save|exit|leave|keep (?:this|it))$/iu
const JUST_FORK = /^(?:(?:hello|hi|hey|please|pls|ok|and|now|mainstem),? )*fork$/iu
const ENDING = /(?:[\s,]+(?:please|pls|thanks|thank you|now|then))*[\s.!?…]*$/iu
