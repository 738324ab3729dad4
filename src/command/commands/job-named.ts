import { nearest } from '../../base/nearest.ts'
import { shorten } from '../../base/width.ts'
import { jobKinds, jobText, type JobName } from '../../event/job.ts'
import type { JobAsked } from '../read/catalogue-jobs.ts'

export type JobFound = { readonly name: JobName } | { readonly problem: string }

const SHOWN_COLUMNS = 60

/** The job that was meant. `how` is the command, to say how it is written without doubt. */
export function findNamed(known: readonly JobName[], { what, id }: JobAsked, how: string): JobFound {
  const ofKind = known.filter((name) => what === null || name.what === what)
  const exact = ofKind.filter(({ job }) => job === id)
  const plain = id.normalize('NFC').toLowerCase()
  const found = exact.length > 0 ? exact : ofKind.filter(({ job }) => job.toLowerCase() === plain)
  const [name, other] = found
  if (name === undefined) return { problem: unknown(ofKind, { what, id }) }
  if (other === undefined) return { name }
  const sorted = found.toSorted((a, b) => jobKinds.indexOf(a.what) - jobKinds.indexOf(b.what))
  const ways = sorted.map((one) => `${how} ${jobText(one)}`).join(' or ')
  return { problem: `There are ${sorted.map(jobText).join(' and ')}. Write ${ways}.` }
}

function unknown(known: readonly JobName[], { what, id }: JobAsked): string {
  const near = nearest(
    id.toLowerCase(),
    known.map(({ job }) => job),
  )
  const meant = known.find(({ job }) => job === near)
  const instead = meant === undefined ? '' : ` Did you mean ${jobText(meant)}?`
  const list = what === null ? '/routines and /reminders list them' : `/${what}s lists them`
  const lists = what === 'webhook' ? 'Webhooks are files in webhooks/.' : `${list}.`
  return `There is no ${what ?? 'job'} '${shorten(id, SHOWN_COLUMNS)}'.${instead} ${lists}`
}
