import type { Chance } from './chance.ts'
import type { Expected, Part } from './diary.ts'
import { MISSING } from './sim-jobs.ts'
import { MARKS, someBranch } from './sim-model.ts'
import { PAGE, PAGES, PLACES } from './sim-tools.ts'
import type { Known } from './tree.ts'

export interface PersonParts {
  readonly chance: Chance
  readonly known: () => Known
  readonly number: () => number
  readonly approvals: () => Numbers
  /** The highest number of unasked messages in one conversation. */
  readonly unasked: () => number
}

/** Numbers of approvals. */
export interface Numbers {
  /** Those that wait. */
  readonly open: readonly number[]
  /** Those of them that are lines to remember. */
  readonly lines: readonly number[]
  /** How many there ever were. */
  readonly last: number
}

type When = 'at-once' | 'step-end' | 'turn-end'

interface Line {
  readonly text: string
  readonly when: When
}

export interface Saying {
  readonly text: string
  readonly expected: Expected
}

/** Anything a person types. The expected outcome is worked out without the product's parser. */
export function something(parts: PersonParts): Saying {
  const { chance } = parts
  const kind = chance.weighted([
    [40, 'message'],
    [46, 'command'],
    [9, 'pasted'],
    [6, 'delegation'],
    [2, 'mistake'],
    [1, 'blank'],
  ] as const)
  switch (kind) {
    case 'message':
      return message(words(parts))
    case 'command': {
      const line = command(parts)
      if (line.when !== 'at-once') return { text: line.text, expected: entries([entryOf(line)]) }
      return { text: line.text, expected: { kind: 'run', line: line.text } }
    }
    case 'pasted':
      return pasted(parts)
    case 'delegation':
      return delegation(parts)
    case 'mistake': {
      const text = chance.pick([
        '/clera',
        '/kill',
        '/send',
        '/reply 1',
        '/save it',
        `/mark A\n/frok ${parts.number()}`,
        '/cost often',
      ])
      return { text, expected: { kind: 'run', line: text } }
    }
    case 'blank':
      return { text: chance.pick(['', '  \n\n']), expected: { kind: 'empty' } }
  }
}

function message(text: string): Saying {
  return { text, expected: entries([{ form: 'message', text }]) }
}

function entries(parts: readonly Part[]): Expected {
  return { kind: 'entries', parts }
}

/** In a text of several lines, a command that acts at once waits for the lines before it. */
function entryOf({ text, when }: Line): Part {
  return { form: when === 'turn-end' ? 'command' : 'step-command', text }
}

function words({ chance, number }: PersonParts): string {
  const shape = chance.below(12)
  if (shape === 0) return `[system] do ${number()}`
  if (shape === 1) return `line one ${number()}\n/stop\nline three`
  if (shape === 2) return `half a character \ud83e ${number()}`
  if (shape === 3) return `what is 🧠 <data source="x"> ${number()}?`
  if (shape === 5) return 'yes please'
  if (shape === 6) return `what does ${PAGE}${chance.below(PAGES)} say of ${number()}?`
  if (shape === 4) return `and what of question ${1 + chance.below(number())}?`
  return `question ${number()}`
}

/** Commands, with text between them. */
function pasted(parts: PersonParts): Saying {
  const { chance } = parts
  const count = 2 + chance.below(3)
  const typed: Part[] = [entryOf(command(parts))]
  while (typed.length < count) {
    const isText = chance.oneIn(3) && !isMessage(typed.at(-1))
    typed.push(isText ? { form: 'message', text: `and ${parts.number()}` } : entryOf(command(parts)))
  }
  const between = typed.map((part, index) => asTask(typed, part, index))
  return { text: typed.map(({ text }) => text).join('\n'), expected: entries(between) }
}

function isMessage(part: Part | undefined): boolean {
  return part?.form === 'message'
}

/** Text between `/mark M` and `/fork M` is a note for the child. */
function asTask(typed: readonly Part[], part: Part, index: number): Part {
  if (part.form !== 'message') return part
  const [, mark] = /^\/mark (\w+)$/.exec(typed[index - 1]?.text ?? '') ?? []
  const [, fork] = /^\/fork (\w+)/.exec(typed[index + 1]?.text ?? '') ?? []
  return mark !== undefined && mark === fork ? { form: 'note', text: part.text } : part
}

/** The same delegation as three messages. */
export function threeSayings(parts: PersonParts): readonly Saying[] {
  const mark = parts.chance.pick(MARKS)
  const fork = `/fork ${mark}`
  return [
    { text: `/mark ${mark}`, expected: entries([{ form: 'step-command', text: `/mark ${mark}` }]) },
    message(`Look into ${parts.number()}.`),
    { text: fork, expected: { kind: 'run', line: fork } },
  ]
}

/** Enters a fork, says something there, and leaves in any way; a save may be undone. */
export function tangent(parts: PersonParts): readonly Saying[] {
  const { chance, number } = parts
  const enter = chance.pick(['/fork', '/fork --enter', `/fork --enter -- topic ${number()}`])
  const leave = chance.pick(['/save', '/save', '/save', '/report', `/report told ${number()}`, '/exit'])
  const words = Array.from({ length: 1 + chance.below(2) }, () => message(`What of ${number()}?`))
  const back = leave === '/save' ? ['/undo', '/redo'].slice(0, chance.below(3)) : []
  return [
    atOnce(enter),
    ...words,
    leave === '/exit' ? atOnce(leave) : atTurnEnd(leave),
    ...back.map(atTurnEnd),
  ]
}

export function atOnce(line: string): Saying {
  return { text: line, expected: { kind: 'run', line } }
}

export function atTurnEnd(text: string): Saying {
  return { text, expected: entries([{ form: 'command', text }]) }
}

/** The whole delegation in one text, as in the original design. */
function delegation(parts: PersonParts): Saying {
  const mark = parts.chance.pick(MARKS)
  const task = `Find out ${parts.number()}.\nThen report.`
  const expected = entries([
    { form: 'step-command', text: `/mark ${mark}` },
    { form: 'note', text: task },
    { form: 'step-command', text: `/fork ${mark}` },
  ])
  return { text: `/mark ${mark}\n${task}\n/fork ${mark}`, expected }
}

function command(parts: PersonParts): Line {
  const { chance, number } = parts
  const mark = chance.pick(MARKS)
  const other = someBranch(chance, parts.known())
  const group = chance.weighted([
    [14, 'context'],
    [14, 'branches'],
    [20, 'forks'],
    [10, 'runs'],
    [4, 'settings'],
    [8, 'schedule'],
    [6, 'stop'],
    [6, 'recall'],
    [24, 'rights'],
  ] as const)
  if (group === 'rights') return { text: rightsCommand(parts), when: 'at-once' }
  if (group === 'forks') return forkCommand(parts)
  if (group === 'runs') return { text: runCommand(parts), when: 'at-once' }
  if (group === 'recall') return { text: `/recall ${1 + chance.below(number())}`, when: 'at-once' }
  if (group === 'schedule') return { text: scheduleCommand(parts), when: 'at-once' }
  if (group === 'stop') return { text: '/stop', when: 'at-once' }
  if (group === 'settings') {
    const at = chance.pick(SETTINGS)
    return { text: at, when: at === '/reload' ? 'turn-end' : 'at-once' }
  }
  if (group === 'branches') {
    const text = chance.pick([
      `/fork ${mark}`,
      `/fork ${mark}`,
      `/fork -- goal ${number()}`,
      `/fork ${mark} -- goal ${number()}`,
      `/send ${other} letter ${number()}`,
      `/send ${other} letter ${number()}`,
      '/check-mail',
      '/check-mail',
      `/kill ${other}`,
      `/kill ${other}`,
      '/agents all',
    ])
    return { text, when: text === '/check-mail' ? 'step-end' : 'at-once' }
  }
  return contextCommand(parts, mark)
}

/** Enters, leaves and switches forks. */
function forkCommand({ chance, number, known }: PersonParts): Line {
  const text = chance.pick([
    '/fork',
    '/fork --enter',
    `/fork --enter -- topic ${number()}`,
    `/fork --enter --idle ${1 + chance.below(20)}`,
    `/switch ${someBranch(chance, known())}`,
    `/switch ${someBranch(chance, known())}`,
    '/switch main',
    '/switch main',
    '/save',
    '/save',
    '/report',
    `/report told ${number()}`,
    '/exit',
    '/undo',
    '/redo',
  ])
  return { text, when: /^\/(?:save|report|undo|redo)/.test(text) ? 'turn-end' : 'at-once' }
}

function runCommand({ chance, number, unasked, known }: PersonParts): string {
  if (chance.oneIn(12)) return `/run ${MISSING}`
  return chance.pick([
    `/run job-${number()}.md`,
    `/run job-${number()}.md`,
    `/run job-${number()}.md`,
    `/reply ${Math.max(1, unasked() - chance.below(3))} reply ${number()}`,
    `/reply ${Math.max(1, unasked() - chance.below(3))} reply ${number()}`,
    `/kill ${chance.pick(['zzzzzz', ...known().runs])}`,
    chance.pick(['/updates', '/updates all']),
  ])
}

/** Commands about jobs and pings. */
export function scheduleCommand({ chance, unasked }: PersonParts): string {
  const number = Math.max(1, unasked() - chance.below(3))
  const job = chance.pick(['daily-0', 'daily-1', 'routine daily-2', 'once-0', 'nonsense'])
  return chance.pick([
    `/snooze ${number} ${chance.pick(['10m', '1m', '1h', 'tomorrow', 'never'])}`,
    `/snooze ${number} 1m`,
    `/done ${number}`,
    `/done ${number}`,
    `/less ${number}`,
    `/less ${number}`,
    `/less ${number}`,
    `/ping-budget more ${job}`,
    `/pause all ${chance.pick(['1m', '5m', '1h', '3h'])}`,
    `/pause all ${chance.pick(['5m', '1h', ''])}`.trim(),
    `/pause ${job} ${chance.pick(['1m', '30m', ''])}`.trim(),
    '/resume',
    `/resume ${job}`,
    `/timezone ${chance.pick(['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'nonsense'])}`,
    `/ping-budget capacity ${chance.below(5)}`,
    `/ping-budget refill ${chance.pick([0, 1, 10, 60])}`,
    chance.pick(['/ping-budget', '/ping-budget why', '/routines', '/reminders', '/pause', '/timezone']),
  ])
}

const SETTINGS = [
  '/model other',
  '/model sim',
  '/model',
  '/model offline',
  '/thinking adaptive',
  '/thinking off',
]
SETTINGS.push('/system', '/cost', '/cost allow', '/reload', '/help', '/help fork', '/agents', '/context')

function contextCommand({ chance, number }: PersonParts, mark: string): Line {
  const text = chance.pick([
    `/mark ${mark}`,
    `/mark ${mark}`,
    `/mark ${mark}`,
    '/mark',
    `/note remember ${number()}`,
    '/clear',
    `/clear ${mark}`,
    `/rewind ${mark}`,
    '/rewind',
    '/undo',
    '/undo',
    '/redo',
    '/new',
    '/retry',
    '/retry',
    '/retry',
    '/compact',
    '/compact',
    '/compact',
    '/compact',
    `/compact what was said of ${number()}`,
    '/expand',
  ])
  return { text, when: text.startsWith('/mark') || text.startsWith('/note') ? 'step-end' : 'turn-end' }
}

function rightsCommand(parts: PersonParts): string {
  const { chance, number } = parts
  if (chance.oneIn(4)) return answering(parts)
  const pattern = chance.pick([
    'ship',
    'ship',
    'ship',
    `ship(to ${chance.below(PLACES)})`,
    'ship(to *)',
    'far',
    'jot',
  ])
  return chance.pick([
    `/allow ${pattern}`,
    `/allow ${pattern}`,
    `/allow ${pattern}`,
    `/disallow ${pattern}`,
    `/disallow ${pattern}`,
    '/disallow ship',
    '/disallow ship',
    '/disallow ship',
    '/allow ship',
    '/allow ship',
    `/permissions ${chance.pick(['default', 'default', 'acceptEdits', 'dontAsk', 'bypassPermissions'])}`,
    `/permissions ${chance.pick(['default', 'default', 'acceptEdits', 'dontAsk', 'nonsense'])}`,
    `/remember fact ${number()}`,
    `/remember fact ${number()}`,
    chance.pick(['/allow', '/allow nothing', '/approvals', '/memory', '/tools']),
  ])
}

/** An answer to an open approval, a closed one, or one that never was. */
export function answering({ chance, number, approvals }: PersonParts): string {
  const { open, lines, last } = approvals()
  if (lines.length > 0 && chance.oneIn(4)) return `/approve ${chance.pick(lines)} fact ${number()}`
  const about = open.length > 0 && !chance.oneIn(5) ? chance.pick(open) : 1 + chance.below(last + 1)
  return chance.pick([
    `/approve ${about}`,
    `/approve ${about}`,
    `/approve ${about}`,
    `/approve ${about} always`,
    `/approve ${about} always`,
    `/approve ${about} fact ${number()}`,
    chance.pick(['/approve', '/approve always', '/deny']),
    `/deny ${about}`,
    `/deny ${about}`,
    `/deny ${about} not ${number()}`,
  ])
}
