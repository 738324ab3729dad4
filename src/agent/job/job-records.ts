import type { Draft, Placed } from '../../event/event.ts'
import { jobKinds, jobText } from '../../event/job.ts'
import { allRows, type Reader } from '../../event/table.ts'
import { problemText, type DefinitionProblem } from '../../schedule/read-definition.ts'
import type { Skip } from './due-jobs.ts'
import { nameOf } from '../state/jobs.ts'
import type { LoadedJob } from '../../schedule/job-shelf.ts'
import { DEFINITION, failureCause, knownProblem, knownZone, noticesOf } from '../state/jobs.ts'
import { definitionProblemTable, pauseTable } from '../state/tables.ts'
import { OWNER, personOf } from '../../event/speaker.ts'

/** Events for job files that have become wrong or right since the last look, with a notice to the owner (JOB2). */
export function judgedFiles(reader: Reader, problems: readonly DefinitionProblem[], place: Placed): Draft[] {
  const wrong = new Set(problems.map(({ file }) => file))
  const found = problems.flatMap((one): Draft[] => {
    const { file, line, reason } = one
    const known = knownProblem(reader, file)
    if (known?.line === line && known.reason === reason) return []
    const [cause, text] = [`${DEFINITION}${file}`, problemText(one)]
    return [
      { kind: 'definition-judged', ...place, file, problem: { line, reason } },
      { kind: 'notice-raised', ...place, person: OWNER, cause, text },
    ]
  })
  const mended = knownWrong(reader).filter((file) => !wrong.has(file))
  return [
    ...found,
    ...mended.map((file): Draft => ({ kind: 'definition-judged', ...place, file, problem: null })),
  ]
}

function knownWrong(reader: Reader): string[] {
  const judged = [...allRows(reader, definitionProblemTable, { prefix: [] })]
  return judged.flatMap(({ file, problem }) => (problem === null ? [] : file))
}

/** An event for a changed time zone, with which every routine is due at other times. */
export function zoneChange(reader: Reader, zone: string, place: Placed): Draft[] {
  if (knownZone(reader) === zone) return []
  return [{ kind: 'zone-set', ...place, zone, author: { by: 'policy', name: 'configuration' } }]
}

/** A notice to the owner, once per job, that a job is for somebody who never wrote here. */
export function strangersTold(reader: Reader, strangers: readonly LoadedJob[], place: Placed): Draft[] {
  return strangers.flatMap(({ definition, file }): Draft[] => {
    const name = jobText(nameOf(definition))
    const cause = `nobody ${name}`
    const { told, isWaiting } = noticesOf(reader, OWNER, cause)
    if (told > 0 || isWaiting) return []
    const what = definition.kind === 'routine' ? 'It is left out until they do' : 'It waits until they do'
    const text = `${name} is due for ${personOf(definition)}, who has never written here. ${what}; to change that, edit for: in ${file}.`
    return [{ kind: 'notice-raised', ...place, person: OWNER, cause, text }]
  })
}

export function skipDraft({ job, main, due, because }: Skip, at: number): Draft {
  return { kind: 'job-skipped', branch: main, at, ...nameOf(job.definition), due, because }
}

/** A notice that a job could not be started. What is tried again and again is told once. */
export function brokenTold(
  reader: Reader,
  { job: { definition }, main, problem }: Pick<Skip, 'job' | 'main'> & { readonly problem: string },
  at: number,
): Draft[] {
  const name = nameOf(definition)
  const [person, cause] = [personOf(definition), failureCause(name)]
  const text = `${jobText(name)} was not started: ${problem}`
  const { newest, count } = noticesOf(reader, person, cause)
  const last = newest === null || count === 0 ? undefined : reader.event(newest)
  const isKnown = last?.kind === 'notice-raised' && last.text === text
  if (isKnown && definition.kind !== 'routine') return []
  return [{ kind: 'notice-raised', branch: main, at, person, cause, text }]
}

/** A text that changes whenever somebody pauses or resumes a job. */
export function pausesNow(reader: Reader): string {
  const rows = ['', ...jobKinds].flatMap((what) => [...allRows(reader, pauseTable, { prefix: [what] })])
  return rows.map((row) => String(row.paused)).join(' ')
}
