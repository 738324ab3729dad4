import { getBranch, workOf } from '../../context/branch.ts'
import { messagesAdded } from '../../context/message-index.ts'
import type { Position } from '../../event/id.ts'
import type { JobName } from '../../event/job.ts'
import type { Reader } from '../../event/table.ts'
import { isAtWork } from './end-subtree.ts'
import { isWaiting } from '../state/inbox.ts'
import { knownJob } from '../state/jobs.ts'

/** Whether a job's last firing waits in any main session, or is being worked on there. */
export function isInMain(reader: Reader, name: JobName): boolean {
  const fired = knownJob(reader, name)?.fired ?? null
  const event = fired === null ? undefined : reader.event(fired)
  if (event?.kind !== 'job-fired' || event.run !== null) return false
  const main = event.branch
  // A firing is written right before the event that it admits.
  const admitted = (event.position + 1) as Position
  if (reader.event(admitted).kind !== 'inbound-admitted') return false
  if (isWaiting(reader, main, admitted)) return true
  const branch = getBranch(reader, main)
  const work = workOf(branch)
  if (work === null || !isAtWork(branch)) return false
  return messagesAdded(reader, { src: main, from: work.since }).some(({ took }) => took === admitted)
}
