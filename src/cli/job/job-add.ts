import { jsonText } from '../frame/output.ts'
import { whenText, isoIn } from '../../base/time-text.ts'
import { nameOf } from '../../agent/state/jobs.ts'
import { pauseOf } from '../../agent/state/jobs.ts'
import { nextTime } from '../../view/jobs.ts'
import { untilWords } from '../../view/jobs-text.ts'
import type { JobKind } from '../../event/job.ts'
import type { Definition } from '../../schedule/definition.ts'
import type { Key } from '../../schedule/definition-fields.ts'
import { JobTakenError } from '../../schedule/job-shelf.ts'
import { reminderId, runAtOf } from '../../schedule/new-reminder.ts'
import { problemText, readDefinition } from '../../schedule/read-definition.ts'
import { readWhen } from '../../schedule/when.ts'
import { UnwritableDefinition } from '../../schedule/write-definition.ts'
import { readText } from '../../base/regular-file.ts'
import { PathError } from '../../tool/files/path.ts'
import { CommandError, UsageError, type CommandCall } from '../frame/command.ts'
import { isAnybodyFiring, withJobs, type JobsHere } from './job-home.ts'
import { mainOf } from '../../agent/state/person.ts'

/** Options that write a field of another name, or none. All others write the field of their name. */
const FIELDS: Readonly<Record<string, Key | null>> = {
  update: 'update-main-session',
  tools: 'allowed-tools',
  at: null,
  fields: null,
  'no-ping': null,
  home: null,
  json: null,
}

/** Writes the file of a job. Mistakes are reported as for a file that was written by hand. */
export async function addJob(call: CommandCall, kind: JobKind): Promise<number> {
  needTime(call, kind)
  const body = await textGiven(call, kind)
  const fields = fieldsJson(call)
  return withJobs(call, 'make', async (here) => {
    const { warnings, ...added } = await written(call, here, { kind, body, fields })
    for (const warning of warnings) void call.err.line(`mainstem: ${warning}`)
    await sayAdded(call, here, added)
    return 0
  })
}

/** Without --id it takes the next free id, and tries again if another process was quicker. */
async function written(
  call: CommandCall,
  here: JobsHere,
  given: Omit<Given, 'id'>,
): Promise<Added & { readonly warnings: readonly string[] }> {
  const { kind, body } = given
  for (const taken = new Set<string>(); ;) {
    const words = call.text('description') ?? body
    const own = call.text('id')
    const id = own ?? (await freeId(here, kind, { words, taken }))
    const { definition, warnings } = await defined(call, { ...given, id })
    refuseTaken(here, definition)
    const whole = await withTime(call, here, definition)
    const file = await write(here, whole)
    if (file !== undefined) return { definition: whole, file, warnings }
    if (own !== undefined) throw notSet(kind, `another ${kind} '${id}' was just added. ${otherId(whole)}`)
    taken.add(id)
  }
}

function needTime(call: CommandCall, kind: JobKind): void {
  if (kind === 'routine' && call.text('cron') === undefined)
    throw new UsageError(
      `Missing --cron. Usage: mainstem routine add TEXT --cron "30 8 * * 1-5", five fields for minute, hour, day, month and weekday`,
    )
  if (kind === 'reminder' && call.text('at') === undefined)
    throw new UsageError(
      `Missing --at. Usage: mainstem reminder add TEXT --at "tomorrow 9:00", or "in 20 minutes"`,
    )
}

const INPUT_MAX = 256 * 1_024

async function textGiven({ words: [, ...words], input }: CommandCall, kind: JobKind): Promise<string> {
  const typed = words.join(' ').trim()
  const text = typed === '-' ? await allOf(input) : typed
  if (text !== '') return text
  throw new UsageError(`Missing TEXT. Usage: mainstem ${kind} add TEXT`)
}

async function allOf(input: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of input) {
    pieces.push(piece)
    length += piece.length
    if (length > INPUT_MAX)
      throw new CommandError(`Standard input has more than ${INPUT_MAX / 1_024} KB. Shorten the text`)
  }
  return Buffer.concat(pieces).toString('utf8').trim()
}

/** The fields of a webhook, as JSON, which is also valid YAML. */
function fieldsJson(call: CommandCall): string | undefined {
  const path = call.text('fields')
  if (path === undefined) return undefined
  const read = readText(path)
  if ('problem' in read) throw new CommandError(`--fields: ${path} ${read.problem}`)
  try {
    return JSON.stringify(JSON.parse(read.text))
  } catch (error) {
    throw new CommandError(`--fields: ${path} is not JSON: ${(error as Error).message}`)
  }
}

async function freeId(
  { shelf, log, when }: JobsHere,
  kind: JobKind,
  { words, taken }: { readonly words: string; readonly taken: ReadonlySet<string> },
): Promise<string> {
  const files = new Set(shelf.problems().map(({ file }) => file.toLowerCase()))
  const ids = new Set(
    shelf.jobs().flatMap(({ definition }) => (definition.kind === kind ? definition.id.toLowerCase() : [])),
  )
  return log.read((reader) =>
    reminderId(words, (id) => {
      const isPaused = pauseOf(reader, { what: kind, job: id }, when.now) !== null
      const isThere = ids.has(id.toLowerCase()) || taken.has(id)
      return isThere || files.has(`${kind}s/${id}.md`.toLowerCase()) || isPaused
    }),
  )
}

interface Given {
  readonly kind: JobKind
  readonly id: string
  readonly body: string
  readonly fields: string | undefined
}

/** Values are written as JSON, which is valid YAML for any characters. */
async function defined(
  call: CommandCall,
  { kind, id, body, fields }: Given,
): Promise<{ definition: Definition; warnings: readonly string[] }> {
  const given = Object.entries({ ...call.values, id }).flatMap(([option, value]) => {
    const key = Object.hasOwn(FIELDS, option) ? FIELDS[option] : option
    const json = JSON.stringify(typeof value === 'string' ? value.toWellFormed() : value)
    return key === null ? [] : [`${key}: ${json}`]
  })
  const lines = [
    ...given,
    ...(call.isSet('no-ping') ? ['allow-ping: false'] : []),
    ...(fields === undefined ? [] : [`fields: ${fields}`]),
  ]
  const text = `---\n${lines.join('\n')}\n---\n${body}\n`
  const read = await readDefinition({ file: `${kind}s/new.md`, text }, { kind, due: 'optional' })
  if ('problem' in read) throw notSet(kind, read.problem.reason)
  return read
}

function notSet(kind: JobKind, why: string): CommandError {
  return new CommandError(`No ${kind} is set: ${why}`)
}

function refuseTaken({ shelf }: JobsHere, { kind, id }: Definition): void {
  const other = shelf.jobs().find(({ definition }) => definition.kind === kind && definition.id === id)
  if (other !== undefined)
    throw notSet(kind, `${other.file} is the ${kind} '${id}' already. ${otherId({ kind, id })}`)
  const wrong = shelf.problems().find(({ file }) => file === `${kind}s/${id}.md`)
  if (wrong !== undefined)
    throw notSet(kind, `a file of that name is there and cannot be used. ${problemText(wrong)}`)
}

function otherId({ kind, id }: Pick<Definition, 'kind' | 'id'>): string {
  return `Give another --id, or cancel that one: mainstem ${kind} cancel ${id}`
}

async function withTime(call: CommandCall, { when }: JobsHere, definition: Definition): Promise<Definition> {
  if (definition.kind !== 'reminder') return definition
  const zone = definition.timezone ?? when.zone
  const read = await readWhen(call.text('at') ?? '', { now: when.now, zone })
  if ('problem' in read) throw notSet('reminder', read.problem)
  return { ...definition, runAt: runAtOf(read.at, zone) }
}

/** Undefined if somebody took the id in the meantime. */
async function write({ shelf }: JobsHere, definition: Definition): Promise<string | undefined> {
  try {
    return await shelf.write(definition, { isNew: true })
  } catch (error) {
    if (error instanceof JobTakenError) return undefined
    if (error instanceof PathError || error instanceof UnwritableDefinition)
      throw notSet(definition.kind, error.message)
    throw error
  }
}

interface Added {
  readonly definition: Definition
  readonly file: string
}

async function sayAdded(call: CommandCall, here: JobsHere, { definition, file }: Added): Promise<void> {
  const { kind, id } = definition
  const { out } = call
  const { next, notes } = await here.log.read((reader) => ({
    next: nextTime(reader, definition, here.when),
    notes: [...pauseNotes(reader, definition, here.when), ...strangerNotes(reader, definition)],
  }))
  if (call.isSet('json')) {
    const at = next === null ? null : isoIn(next, here.when.zone)
    await out.line(jsonText({ kind, id, file, next: at }))
    return
  }
  const name = `${kind.replace(/^./, (letter) => letter.toUpperCase())} ${id}`
  const due = next === null ? '' : `: ${whenText(next, here.when)}`
  await out.line(`${name} is set${due} (${file}).`)
  for (const note of notes) await out.line(note)
  if (kind === 'webhook') await out.line(hookNote(here, { definition, file }))
  else if (!isAnybodyFiring(call.home))
    await out.line(`Mainstem is not running: 'mainstem' or 'mainstem serve' starts it when it is due.`)
}

function hookNote({ shelf }: JobsHere, { definition, file }: Added): string {
  const wrong = shelf.problems().find((problem) => problem.file === file)
  if (wrong !== undefined) return `It cannot be used yet: ${wrong.reason}`
  return `'mainstem webhook url ${definition.id}' shows how to call it; 'mainstem webhook run ${definition.id} --data JSON' runs it.`
}

type Reader = Parameters<typeof pauseOf>[0]

function pauseNotes(reader: Reader, definition: Definition, when: JobsHere['when']): string[] {
  const [all, own] = [pauseOf(reader, null, when.now), pauseOf(reader, nameOf(definition), when.now)]
  return [
    ...(all === null ? [] : [`All jobs are paused ${untilWords(all.until, when)}.`]),
    ...(own === null ? [] : [`It is paused ${untilWords(own.until, when)}.`]),
  ]
}

function strangerNotes(reader: Reader, { person, kind }: Definition): string[] {
  if (person === null || kind === 'webhook' || mainOf(reader, person) !== undefined) return []
  const what = kind === 'reminder' ? 'waits' : 'is left out'
  return [`It is for ${person}, who has never written here: it ${what} until they do.`]
}
