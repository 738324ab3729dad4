import type { PromptCall } from '../../event/prompt.ts'
import { type DueJob, followUpMinutes, reminderText } from './due-job.ts'
import type { Heard } from './heard.ts'
import { pingIn } from './ping-wishes.ts'
import { type Meaning, understand } from './understand.ts'

const FOLLOW_UP = 'follow_up_chain'

/** What jobs that are due here come to: words for the person, a next check, and requests as if somebody had typed them. */
export function dueHere(
  heard: Heard,
  mayCall: (tool: string) => boolean,
): { heard: Heard; lines: string[]; calls: Omit<PromptCall, 'id'>[] } {
  const asked = heard.due.filter((job) => isRequest(job, heard))
  const told = heard.due.filter((job) => !asked.includes(job))
  const chains = heard.isNew && mayCall(FOLLOW_UP) ? told.filter(({ check }) => check?.isOpen) : []
  return {
    heard: { ...heard, said: [...asked.map(({ body }) => body), heard.said].join('\n').trim() },
    lines: told.map(reminderText),
    calls: chains.map(({ id, body }) => ({
      tool: FOLLOW_UP,
      args: { minutes_from_now: followUpMinutes(body), ...(chains.length > 1 && { reminder: id }) },
    })),
  }
}

/** A routine does what its rules can do; a reminder only looks: what somebody has to do themselves is not done for them. */
function isRequest({ what, body }: DueJob, { known, today }: Heard): boolean {
  if (pingIn(body) !== '') return false
  const meanings = understand(body, known, { today })
  if (meanings.some(({ kind }) => kind === 'unclear')) return false
  return what === 'reminder' ? meanings.every(isLook) : meanings.some(({ kind }) => kind !== 'say')
}

function isLook(meaning: Meaning): boolean {
  if (meaning.kind === 'call') return meaning.intent.command === 'check-mail'
  if (meaning.kind === 'errand') return meaning.tool === 'list_reminders' || meaning.tool === 'todo_list'
  return meaning.kind === 'look' || meaning.kind === 'memory'
}
