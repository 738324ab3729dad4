import { clockIn } from '../../base/time-text.ts'
import { type Said, ok, refusal } from '../../agent/contract/act.ts'
import { knownZone } from '../../agent/state/jobs.ts'
import { sentence } from '../../base/words.ts'
import { OR_NONE } from '../../config/type/value-type.ts'
import { jobText } from '../../event/job.ts'
import type { Reader } from '../../event/table.ts'
import { conclude, type Desk, type OrderOf } from '../desk/desk.ts'
import { jobsView } from '../../view/jobs.ts'
import { nameIn, nextWords } from '../../view/jobs-text.ts'

/** Shows or sets the zone in which the person lives. */
export async function runTimezone(desk: Desk, order: OrderOf<'timezone'>): Promise<Said | undefined> {
  const { zone: wanted } = order.command
  const before = desk.settings().zone
  await desk.shelf.refresh()
  if (wanted === null)
    return conclude(desk, order, (writing) => {
      const change = '/timezone NAME changes it, as in /timezone Europe/Berlin.'
      return ok(
        [`The time zone is ${before}. ${clockWords(desk)}`, ...next(writing, desk), change].join('\n'),
      )
    })
  const problem = await desk.configure('timezone', wanted)
  if (problem !== undefined)
    return conclude(desk, order, () =>
      refusal(`${sentence(problem.replace(OR_NONE, ''))}\nThe time zone is still ${before}.`),
    )
  return conclude(desk, order, (writing, { branch, at, author }) => {
    const { zone } = desk.settings()
    if (knownZone(writing) !== zone) writing.append({ kind: 'zone-set', branch, at, v: 1, zone, author })
    if (zone === before) return ok(`The time zone is ${zone} already. ${clockWords(desk)}`)
    const text = `The time zone is ${zone} from now on (was ${before}). ${clockWords(desk)}`
    return ok([text, MEANS, ...next(writing, desk)].join('\n'))
  })
}

const MEANS = `Routines keep their time of day, in the new zone; reminders keep the moment they
were set for.`

function clockWords(desk: Desk): string {
  const { date, time } = clockIn(desk.now(), desk.settings().zone)
  return `It is ${date} ${time} there.`
}

const NEXT_MAX = 2

function next(reader: Reader, desk: Desk): string[] {
  const when = { now: desk.now(), zone: desk.settings().zone }
  const coming = jobsView(reader, { shelf: desk.shelf, when })
    .jobs.filter(({ next: at }) => at !== null && Date.parse(at) > when.now)
    .slice(0, NEXT_MAX)
    .map((job) => `${jobText(nameIn(job))}: ${nextWords(job.next, when)}`)
  return coming.length === 0 ? [] : [`Next: ${coming.join('; ')}.`]
}
