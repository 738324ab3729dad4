/** What is wanted of what was said. */
export type Wants = 'what' | 'who' | 'when' | 'first' | 'last'

/** One way to ask for what was said, in the words of `normsOf`. */
export interface Form {
  /** Groups: `who` speaks, `noun` belongs to the topic, and what follows the match is the topic. */
  readonly pattern: RegExp
  readonly except?: RegExp
  readonly wants?: Wants
}

const SAY =
  '(?:say|tell|mention|write|talk|speak|discuss|note|report|suggest|recommend|advise|promise|decide|agree|plan|ask|answer|explain|describe|claim|give|settle)'
const SAID =
  '(?:said|told|mentioned|mention|wrote|write|written|talked|spoke|spoken|discussed|noted|reported|suggested|recommended|advised|promised|decided|agreed|planned|asked|answered|explained|described|claimed|given|gave|settled)'
const WHO =
  '(?<who>i|we|you|(?:(?:the|my|our|your) )?(?!it\\b|that\\b|this\\b|the\\b|my\\b|our\\b|your\\b)[\\p{L}\\p{N}.-]+)'
const OFTEN = '(?:(?:ever|already|again|once|first|last|originally|all|have|had|not|also) )*'
const TO = '(?: (?:to )?(?:you|me|us))?'
const ABOUT =
  '(?: (?:anything|something|things?|advice))?(?: (?:about|on|of|regarding|concerning|over|as to|with regard to|that))*'
const PAST = `(?:${SAY}|${SAID})${TO}${ABOUT}(?= |$)`
const OURS = '(?:(?:the|my|our|your|all|whole|entire|chat|old|past|earlier|previous) )*'
const PLACE =
  '(?:log|logs|history|memory|archive|past|records?|notes|messages|conversations?|chats?|transcripts?)'

function form(pattern: string, more: Omit<Form, 'pattern'> = {}): Form {
  return { pattern: new RegExp(`^${pattern}`, 'u'), ...more }
}

export const FORMS: readonly Form[] = [
  form(`(?:when|how long ago) was the (?:very )?first time (?:that )?${WHO} ${OFTEN}${PAST}`, {
    wants: 'first',
  }),
  form(`(?:when|how long ago) was the last time (?:that )?${WHO} ${OFTEN}${PAST}`, { wants: 'last' }),
  form(
    `(?:when|how often|how many times|how long ago) (?:did|have|had|was it that|was it) ${WHO} first ${PAST}`,
    {
      wants: 'first',
    },
  ),
  form(`(?:when|how long ago) (?:did|have|had|was it that|was it) ${WHO} last ${PAST}`, { wants: 'last' }),
  form(
    `(?:when|how often|how many times|how long ago) (?:did|have|had|was it that|was it) ${WHO} ${OFTEN}${PAST}`,
    {
      wants: 'when',
    },
  ),
  form(
    `who (?:was it (?:that |who )?|is it (?:that |who )?|else )?(?:has |had |ever )*${SAID}${TO}${ABOUT}(?= |$)`,
    {
      wants: 'who',
      except: /^who (?:told|asked) you(?: |$)/,
    },
  ),
  form(`what (?:all |else )?(?:did|have|had|was it that|was it|is it that|was that) ${WHO} ${OFTEN}${PAST}`),
  form(`what (?:did|have|had) (?<who>i) (?:tell|told) you(?= )`),
  form(`(?:what|which) (?<noun>(?:[^ ,]+ ){1,4}?)(?:did|have|had) ${WHO} ${OFTEN}${PAST}`),
  form(`(?:where|how) (?:did|have|had) ${WHO} ${OFTEN}${PAST}`),
  form(`(?:did|have|had) (?:not )?(?<who>i|we|you|anyone|someone) ${OFTEN}(?:${SAY}|${SAID})${TO}${ABOUT} `),
  form(
    `(?:show|give|list|find|get|look up|search|look|bring up|pull up|dig up|quote|repeat|read)(?: me| us| for| out)* (?:everything|all|anything|what|whatever|(?:the |that |those )?(?:messages?|parts?|places?|bits?|notes?|times?|conversations?)(?: where| in which| when| from when)?)(?: that)? (?<who>i|we|you) ${OFTEN}${PAST}`,
  ),
  form(
    `(?:search|look|check|go|scan|dig|browse)(?: through| in| into| up)* ${OURS}${PLACE} (?:for|about)(?= )`,
  ),
  form(
    `(?:find|show|get|look for|search for|search)(?: me| us)* ${OURS}(?:that )?(?:messages?|conversations?|chats?|notes?) (?:about|with|on|where|from)(?= )`,
  ),
  form(`recall (?=what |when |who |where |which |my |our |everything |the name )`),
  form(
    `remind me (?:again )?(?:of )?(?:what|when|who|where|which|how|whether|if) (?<who>i|we|you) ${OFTEN}${SAID}${TO}${ABOUT}(?= |$)`,
  ),
  form(`remind me (?:again )?(?:of )?(?=(?:what|when|who|where|which|how|whether) (?!to\\b))`),
  form(
    `(?:do |did )?(?:not )?you (?:(?:still|even|happen to|by any chance) )*(?:remember|recall|know) (?:what|when|who|where|which|how|whether|if) (?<who>i|we|you) ${OFTEN}${SAID}${TO}${ABOUT}(?= |$)`,
  ),
  form(
    `(?:do |did |can )?(?:not )?you (?:(?:still|even|happen to|by any chance) )*(?:remember|recall)(?: anything| something)?(?: about| of)?(?= |$)`,
    {
      except:
        /(?:remember|recall) (?:to|me|you|it|that|this)(?: |$)|remember that (?:i|we|you) (?:love|miss)/,
    },
  ),
  form(
    `what (?:else )?(?:do|can) (?:you|we) (?:know|remember|recall|find) (?:about|on|of|regarding|concerning)(?= )`,
    {
      except: /(?:about|on|of) (?:you|yourself|me|us|it|that|this)$/,
    },
  ),
  form(`(?:what|who|when|where|which|how) (?:was|is|were|are|did|does|do)? ?(?=(?:.* )?again$)`, {
    except: /^(?:what|who|when|where|which|how) (?:do|did|are|can|is|was) (?:you|it|that|this)? ?again$/,
  }),
]

/** Only with a question mark: "Remember when we met." tells, and "Remember when we met?" asks. */
export const ASKED_FORMS: readonly Form[] = [
  form(`(?:remember|recall) (?=(?:when|what|who|where|which|how|my|our|the|that) )`, {
    except: /^\w+ that (?:i|we|you|he|she|it|they) /,
  }),
]

/** What may stand before a question and changes nothing of it. */
export const LEADS =
  /^(?:(?:tell|remind) me (?:again )?|do you (?:still |even |happen to |by any chance )*know |any idea |i (?:forgot|forget|have forgotten|can not remember|do not remember|do not know|can not recall|do not recall|would like to know|want to know|need to know) )(?=(?:what|who|whose|when|where|which|how (?:much|many|old|long|far|tall|big|often)|the (?:name|number|address|date|title|colour|color|price|password|code) of) )/u
export const ASKS =
  /^(?:what|who|whose|whom|when|where|which|how (?:much|many|old|long|far|tall|big|often|late|heavy|fast|high|deep|expensive|soon)) /u
export const ASKS_US = /^(?:did|do|does|is|are|was|were|am|have|has|had|why|in|on|at|for|with|to|from) /u
export const ASKS_HOW = /^how (?:did|was|were|is|are|does|has|have) /u
export const PERSONAL = /(?:^| )(?:my|mine|our|ours|i|we|me|us)(?: |$)/u
/** Ways to talk that look like questions, and what is asked about the one who is asked. */
export const NO_QUESTION =
  /^(?:(?:what|how) about |what if |why not|what for$|how come|who (?:cares|knows)|so what|what now|what next|guess what|(?:what|how|which|where|when|who|why|how much|how many) (?:do|did|are|would|can|could|will|should|were|have) you |what (?:a|an|i|we|he|she|they|you) |when (?:i|we|he|she|they|you|it) |where (?:i|we|there) |which (?:is|was|are|were|would|makes|means) |(?:what|who|where|when) (?:is|was|are) (?:that|this|it|there|he|she|they|you|wrong|happening|going)(?: |$)|how (?:do|can|should|could|would|to) |what (?:can|should|could|shall|do|would) (?:i|we) |(?:do|am|are|have|can|should|may|shall) (?:i|we) (?:have to|need to|look|seem|get|use|do|make|ask|right|wrong)(?: |$)|(?:in|on|at|for|with|to|from) (?!what|which|whose|whom|who))/u

/** Words that a question has and its answer has not. */
export const WEAK =
  /^(?:name|names|named|called|number|date|day|time|year|month|week|place|address|kind|sort|type|much|many|old|long|far|tall|big|often|late|again|called|title|say|said|tell|told|mention|mentioned|know|remember|people|person|get|got|go|come|use|used|make|made|put|liked?|want|wanted|new)$/
