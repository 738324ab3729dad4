import { jobsView } from '../../view/jobs.ts'
import { nextWords } from '../../view/jobs-text.ts'
import { counted } from '../../base/words.ts'
import type { Life } from '../../runtime/life/life.ts'
import type { Output } from '../frame/output.ts'

/** The reminders that are there now, by their files. */
export function reminderFiles({ desk }: Pick<Life, 'desk'>): ReadonlySet<string> {
  const reminders = desk.shelf.jobs().filter(({ definition }) => definition.kind === 'reminder')
  return new Set(reminders.map(({ file }) => file))
}

/** Says which reminders wait, since they may not fire after this process ends. `known` ones count only if overdue. */
export async function sayRemindersLeft(
  { desk, log }: Pick<Life, 'desk' | 'log'>,
  { err, known }: { readonly err: Output; readonly known: ReadonlySet<string> },
): Promise<void> {
  const when = { now: desk.now(), zone: desk.settings().zone }
  const look = { shelf: desk.shelf, when, kind: 'reminder' } as const
  const { jobs } = await log.read((reader) => jobsView(reader, look))
  const left = jobs.filter(
    ({ file, next }) => !known.has(file) || (next !== null && Date.parse(next) <= when.now),
  )
  const [first] = left
  if (first === undefined) return
  const next = first.next === null ? first.id : `${first.id} (${nextWords(first.next, when)})`
  const fires = 'only while Mainstem is running.'
  const text =
    left.length === 1
      ? `1 reminder pending: ${next}. It fires ${fires}`
      : `${counted(left.length, 'reminder')} pending; the next is ${next}. They fire ${fires}`
  await err.now(`mainstem: ${text}`)
}
