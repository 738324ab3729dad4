import { ASKED_LEAD, POLITE_LEAD } from './errand-lead.ts'

/**
 * What to type for peace, where a sentence asks for it. Rules cannot pause anything themselves: whoever is told "all
 * right" relies on it.
 */
export function peaceIn(bare: string): string | undefined {
  if (SNOOZED.test(bare)) return SNOOZE
  for (const form of FORMS) {
    const rest = form.exec(bare)?.groups?.['rest']
    if (rest === undefined) continue
    const words = rest.trim()
    if (form === NOT_ME && OF_ONE.test(words)) return OF_THIS
    const time = pauseTime(words)
    if (time !== undefined) return whatToType(time)
  }
  for (const form of TIMED) {
    const time = pauseTime((form.exec(bare)?.groups?.['rest'] ?? '').trim())
    if (time !== undefined && time !== '') return whatToType(time)
  }
  return undefined
}

function whatToType(time: string): string {
  const typed = time === '' ? '`/pause all 2h` (or `/pause all` alone)' : `\`/pause all ${time}\``
  return `I cannot do that by myself, so jobs and pings go on. Type ${typed}: then nothing disturbs you. \`/resume\` ends it.`
}

const SNOOZE =
  'I cannot put anything off by myself. Type `/snooze N 1h` with the number of the message, or set a reminder anew.'
const OF_THIS =
  'I cannot do that by myself, so nothing has changed. `/less N` gets you less of the job behind message N, `/pause JOB` stops one job, `/pause all 2h` all of them.'

function asked(words: string): RegExp {
  return new RegExp(String.raw`^${POLITE_LEAD}${ASKED_LEAD}(?:${words})(?![\w’'-])(?<rest>.*)$`, 'isu')
}

const NO = String.raw`(?:do not|don't|dont|never|stop|quit|cease|no longer)(?: ever| even)?`
const DISTURB = String.raw`(?:disturb|bother|ping|interrupt|notify|message|nudge|contact|buzz|pester|annoy|poke|write|text)`
const MESSAGES = String.raw`(?:jobs?|pings?|pinging|notifications?|messages?|messaging|alerts?|interruptions?|disturbances?|nudges)`
const ALL = String.raw`(?:(?:all|any|the|my|your|of|more|every|those|these)\s+)*`
const THINGS = String.raw`(?:everything|it all|yourself|${ALL}(?:${MESSAGES}|reminders|routines)|all)(?:(?:,| and|, and) ${ALL}(?:${MESSAGES}|reminders|routines))*`

const NOT_ME = asked(String.raw`${NO} ${DISTURB}(?:t?ing)?(?: to)? (?:me|us)|do not disturb|don't disturb`)
const FORMS = [
  NOT_ME,
  asked(
    String.raw`(?:i (?:do not|don't|dont) want|i(?:'d| would) (?:rather|prefer) not) to be (?:disturbed|bothered|pinged|interrupted|notified)`,
  ),
  asked(String.raw`(?:pause|mute|silence|suspend|hold|snooze) ${THINGS}|mute`),
  asked(String.raw`(?:stop|halt|turn off|switch off|disable) ${ALL}${MESSAGES}`),
  asked(
    String.raw`no (?:more )?(?:${MESSAGES}|reminders)(?:(?:,| and| or|, and) (?:${MESSAGES}|reminders))*(?: for me)?`,
  ),
  asked(
    String.raw`leave me (?:alone|be|in peace)|(?:be|keep|stay) (?:quiet|silent)|give me (?:some )?(?:peace|quiet|peace and quiet)`,
  ),
]
/** Said of other things, too: only with a time are they about peace. */
const TIMED = [
  asked(String.raw`(?:stop|halt|turn off|switch off|disable) ${THINGS}`),
  asked(String.raw`${NO} remind(?:ing)? (?:me|us)(?: of (?:anything|things))?`),
  asked(String.raw`let me (?:sleep|work|focus|concentrate|rest)(?: in peace)?`),
  asked('quiet|silence|pause'),
]
const SNOOZED = new RegExp(
  String.raw`^${POLITE_LEAD}${ASKED_LEAD}snooze(?: (?:it|this|that))?(?: (?:for |until |till )?.{0,30})?$`,
  'isu',
)

const OF_ONE = /^(?:about|with|because of|when|if|unless|for (?:every|each)|so (?:often|much)|that)\b/iu
const NO_TIME =
  /^(?:now|right now|please|any ?more|at all|again|from now on|for now|for (?:a|some) (?:while|time|bit|moment)|ok|okay|for good|ever(?: again)?)?$/iu
const TODAY = /^(?:for )?(?:today|tonight|(?:the )?(?:rest of )?(?:the |this )?(?:day|night|evening))$/iu
const SPAN =
  /^(?:for |during |in |over )?(?:the )?(?:next |coming )?(?<count>\d+(?:\.\d+)?|an?|one|two|three|four|five|six|eight|ten|fifteen|twenty|thirty|forty-five|ninety|half an?|a couple of)[ -]?(?<unit>minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w)$/iu
const COUNTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: '1',
    an: '1',
    one: '1',
    two: '2',
    three: '3',
    four: '4',
    five: '5',
    six: '6',
    eight: '8',
  })
    .concat(Object.entries({ ten: '10', fifteen: '15', twenty: '20', thirty: '30', 'forty-five': '45' }))
    .concat(Object.entries({ ninety: '90', 'a couple of': '2' })),
)

/** As /pause reads it; '' where none is named; undefined where the words are no time. */
function pauseTime(words: string): string | undefined {
  const bare = words.replace(/^[\s,:]+/u, '').replace(/(?:,? (?:please|now|ok|thanks))+$/iu, '')
  if (NO_TIME.test(bare)) return ''
  if (TODAY.test(bare)) return 'until tomorrow'
  if (/^(?:for )?an hour and a half$/iu.test(bare)) return '90m'
  const { count = '', unit = '' } = SPAN.exec(bare)?.groups ?? {}
  if (count !== '') return spanOf(count.toLowerCase(), unit.charAt(0).toLowerCase())
  const [, until = ''] = /^(?:until|till) (.{1,40})$/iu.exec(bare) ?? []
  if (until === '') return undefined
  return /\d|tomorrow|noon|midnight|tonight|day\b|week/iu.test(until) ? `until ${until}` : ''
}

function spanOf(count: string, unit: string): string {
  if (count.startsWith('half')) return unit === 'h' ? '30m' : unit === 'd' ? '12h' : `1${unit}`
  return `${COUNTS.get(count) ?? count}${unit}`
}
