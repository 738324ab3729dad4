import { ASKED_LEAD, capturedTask, POLITE_LEAD, type Task } from './errand-lead.ts'
import { repeatingIn } from './repeating.ts'
import { cutTime, REMINDED_AT, REMINDED_FOR, tidied, twoTimes } from './time-cut.ts'
import { timePhrases } from './time-words.ts'

/** A wish to be reminded; what is missing is asked for. */
export interface Reminding {
  readonly task: Task
  readonly when: string | undefined
  readonly obstacle?: 'repeats' | 'condition' | 'times'
  /** Of what comes again and again, as far as the words say it. */
  readonly cron?: string
}

interface Form {
  readonly form: RegExp
  readonly links: RegExp
  /** What the words say else is no wish: `time` anywhere, `first` right behind them. */
  readonly needs?: 'time' | 'first'
  /** Where nothing else is named. */
  readonly task?: string
  readonly link?: Task['link']
}

function lead(words: string): RegExp {
  return new RegExp(String.raw`^${POLITE_LEAD}${ASKED_LEAD}(?:${words})(?![\w’'-])(?<rest>.*)$`, 'isu')
}

const A = String.raw`(?:(?:a|an|another|one|the|my|new|quick|little|short|small|friendly|gentle)\s+)*`
const QUESTION =
  /^\s*(?:again\s+)?(?:of\s+|about\s+)?(?:what|who|whose|whom|where|which|why|how|whether|if|when)\b/iu

const FORMS: readonly Form[] = [
  { form: lead(String.raw`(?:(?:set|send) )?remind me(?: again)?(?: later)?`), links: REMINDED_AT },
  {
    form: lead(
      String.raw`(?:set|create|add|make|schedule|put|place|leave|give|send|drop|get|have|write|need|want|i need|i want)(?: me| us| up| in| down)* ${A}reminder(?: for me| to me)?`,
    ),
    links: REMINDED_FOR,
  },
  { form: /^reminder(?: to me| for me)?(?=\s*:|\s+for\s)(?<rest>.*)$/isu, links: REMINDED_FOR },
  {
    form: lead(String.raw`(?:(?:do not|don't|dont|never) let (?:me|it slip my mind)|let me not) forget`),
    links: REMINDED_AT,
    link: 'about',
  },
  {
    form: lead(
      String.raw`(?:make sure|see to it|ensure|take care)(?: that)? i (?:do not|don't|dont|won't|never) (?:forget|miss)`,
    ),
    links: REMINDED_AT,
    link: 'about',
  },
  {
    form: lead(String.raw`(?:make sure (?:that )?i|help me(?: to)?) remember`),
    links: REMINDED_AT,
    link: 'about',
  },
  {
    form: lead(String.raw`(?:do not|don't|dont) forget(?= to )|remember(?= to )`),
    links: REMINDED_AT,
    needs: 'time',
  },
  {
    form: lead(String.raw`(?:i (?:must|should|can|may) ?not|i (?:do not|don't) want to) forget`),
    links: REMINDED_AT,
    link: 'about',
    needs: 'time',
  },
  { form: lead(String.raw`wake me(?: up)?`), links: REMINDED_FOR, needs: 'time', task: 'wake up' },
  {
    form: lead(
      String.raw`(?:ping|nudge|poke|prod|buzz) me|jog my memory|give me ${A}(?:nudge|ping|poke|buzz|shout|kick|heads[- ]up)`,
    ),
    links: REMINDED_AT,
    needs: 'time',
  },
  {
    form: lead(
      String.raw`(?:tell me|text me|message me|write(?: to)? me|alert me|notify me|warn me|let me know)`,
    ),
    links: REMINDED_AT,
    needs: 'first',
  },
  {
    form: /^(?:please )?(?:i|i'd|i would)(?: really)? (?:want|need|like|love|wish|have|ought) to (?:be reminded|get reminded)(?<rest>.*)$/isu,
    links: REMINDED_AT,
  },
  {
    form: lead(
      String.raw`(?:set|create|make|put|start|add|i need|i want)(?: me| up)* ${A}alarm(?: clock)?|alarm(?= (?:at|for|in) )`,
    ),
    links: REMINDED_FOR,
    needs: 'time',
    task: 'the alarm',
  },
  {
    form: lead(String.raw`(?:set|start|make|put|run)(?: me| up)* ${A}timer|timer(?= (?:for )?\d)`),
    links: REMINDED_FOR,
    needs: 'time',
    task: 'the time is up',
    link: 'that',
  },
]

const TIMED = new RegExp(
  String.raw`^${POLITE_LEAD}${ASKED_LEAD}(?:set|start|make|put|run)(?: me| up)* (?:a|an|another|one) (?<amount>\d+)[- ]?(?<unit>s(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:(?:ou)?rs?)?) timer(?<rest>.*)$`,
  'isu',
)

const REPEATS =
  /\b(?:every|each)\s+(?:(?:single|other|second|third|fourth|few|couple of|\d+|two|three|four|six)\s+)*(?:day|morning|afternoon|evening|night|noon|hour|minute|week|weekday|weekend|month|year|(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?\b|(?<!\b(?:the|a|my|our|his|her)\s)\b(?:daily|hourly|weekly|monthly|yearly|annually)\b|\b(?:on|at)\s+(?:weekdays|weekends|(?:mon|tues|wednes|thurs|fri|satur|sun)days)\b|\b(?:once|twice|three times) (?:a|per) (?:day|week|month|year)\b/iu
const CONDITION =
  /(?:^|[\s,])(?:when(?:ever)?|if|once|as soon as|after|before|until|while) (?:i|i'm|i've|we|you|he|she|it|it's|they|there|the|my|our|somebody|someone|anybody) [^,]*$/iu
/** "Remind me when I get home" waits for something; "remind me when I was in Rome" asks. */
const OPENING_CONDITION =
  /^\s*(?:when(?:ever)?|once|if|as soon as|after) (?:i|we) (?:get|am|arrive|leave|come|go|wake|reach|see|pass|sit|finish)\b(?:(?! to ).)*/iu

/** What one sentence wishes; `before` is what was said just before it, which it may be about. */
export function remindingIn(
  sentence: string,
  { today, before }: { readonly today: string | undefined; readonly before: string },
): Reminding | undefined {
  const timer = TIMED.exec(sentence)?.groups
  if (timer !== undefined) return timerWish(timer)
  const opening = openingTime(sentence, today)
  for (const form of FORMS) {
    const rest = form.form.exec(opening.rest)?.groups?.['rest']
    if (rest === undefined) continue
    const waiting = OPENING_CONDITION.exec(rest)?.[0]
    if (waiting !== undefined) return obstacle(rest.slice(waiting.length), 'condition')
    if (QUESTION.test(rest)) continue
    const wish = wishIn(rest, form, { today, opening: opening.when, before })
    if (wish !== undefined) return wish
  }
  return undefined
}

function timerWish({ amount, unit, rest = '' }: Record<string, string | undefined>): Reminding {
  const { words } = capturedTask(rest)
  const task: Task = words === '' ? { link: 'that', words: 'the time is up' } : { link: 'about', words }
  return { task, when: `in ${amount} ${unit}` }
}

/** "Tomorrow at 9, please remind me …" */
function openingTime(sentence: string, today: string | undefined): { when?: string; rest: string } {
  const bare = sentence.replace(/^(?:please|ok|okay|hey|and|also|so|then|oh|hi|mainstem)\b[\s,:!]*/iu, '')
  const [phrase] = timePhrases(bare, today)
  if (phrase === undefined || phrase.start > 0 || phrase.has.includes('vague')) return { rest: sentence }
  return { when: phrase.when, rest: bare.slice(phrase.end).replace(/^[\s,:–-]+/u, '') }
}

interface Around {
  readonly today: string | undefined
  /** The time that stands at the head of the sentence. */
  readonly opening: string | undefined
  readonly before: string
}

function wishIn(rest: string, form: Form, { today, opening, before }: Around): Reminding | undefined {
  const isTimer = form.task === 'the time is up'
  const said = isTimer
    ? rest.replace(/\bfor (?=(?:\d|an?\b|half|one|two|three|five|ten|fifteen|twenty|thirty))/iu, 'in ')
    : rest
  if (REPEATS.test(said)) return repeats(said, { opening, today })
  if (twoTimes(said, { today, links: form.links })) return obstacle(said, 'times')
  const cut = cutTime(said, { today, links: form.links })
  const when = opening ?? cut.when
  if (form.needs !== undefined && when === undefined) return undefined
  if (form.needs === 'first' && opening === undefined && !cut.isFirst) return undefined
  const words = opening === undefined ? cut.task : tidied(said)
  if (QUESTION.test(words)) return undefined
  const isOpen = words === '' || POINTS_BACK.test(words)
  if (isOpen && form.task === undefined && before !== '') return aboutBefore(before, when, today)
  const task = taskOf(words, form, when)
  if (task === undefined) return undefined
  return when === undefined && CONDITION.test(task.words)
    ? { task: { ...task, words: tidied(task.words.replace(CONDITION, '')) }, when, obstacle: 'condition' }
    : { task, when }
}

function repeats(said: string, { opening, today }: Pick<Around, 'opening' | 'today'>): Reminding {
  const { cron, task } = repeatingIn(said, { opening, today })
  return { ...obstacle(task, 'repeats'), ...(cron !== undefined && { cron }) }
}

function obstacle(said: string, what: NonNullable<Reminding['obstacle']>): Reminding {
  return { task: capturedTask(said), when: undefined, obstacle: what }
}

const POINTS_BACK = /^(?:(?:about|of|to do|on) )?(?:it|this|that|this one|that one)$/iu

/** "I have the dentist on Friday at 9, don't let me forget." */
function aboutBefore(before: string, when: string | undefined, today: string | undefined): Reminding {
  const told = asTask(before)
  if (when !== undefined) return { task: capturedTask(told), when }
  const cut = cutTime(told, { today, links: REMINDED_AT })
  return { task: capturedTask(cut.task), when: cut.when }
}

function taskOf(words: string, form: Form, when: string | undefined): Task | undefined {
  const task = capturedTask(words)
  if (form.task !== undefined && (task.words === '' || POINTS_BACK.test(words)))
    return { link: form.link ?? 'about', words: form.task }
  if (form.task === 'wake up') return { link: 'to', words: `wake up: ${task.words}` }
  if (task.link !== '' || task.words === '') return task
  // "Remind me, please" or "remind me of it, will you?" names nothing that could be done.
  const isNamed = when !== undefined || form.link !== undefined || /^\s*[:–]/u.test(words)
  return isNamed ? { link: form.link ?? '', words: task.words } : undefined
}

/** "I have to pay the rent" is about paying the rent. */
function asTask(before: string): string {
  const told = before.replace(/^(?:well|so|oh|ok|okay|hey|and|but|yes|also)\b[\s,]*/iu, '')
  const todo =
    /^(?:i|we)(?:'ve| have)? (?:(?:still )?(?:have|got|need|ought|want) to|must|should) (?<do>\S.*)$/isu.exec(
      told,
    )
  if (todo?.groups?.['do'] !== undefined) return `to ${todo.groups['do']}`
  const has = /^(?:i|we)(?:'ve| have)(?: got)? (?<what>\S.*)$/isu.exec(told)?.groups?.['what']
  return has === undefined ? `that ${told}` : `about ${has}`
}
