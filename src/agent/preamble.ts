import type { Reader } from '../event/table.ts'
import { addedTools, patternsText, type JobRights } from './gating.ts'
import type { Admitted } from './inbox.ts'
import { runIn, type Run } from './run.ts'

/** What stands between the tag of a background run and its task. */
export function preambleOf(reader: Reader, { source, branch }: Admitted): string[] {
  if (source.from !== 'host' || source.id === undefined) return []
  const run = runIn(reader, branch)
  return run === undefined ? [] : [preambleText(run)]
}

type Preambled = JobRights & Pick<Run, 'skillsIn'>

/** Its parts in their order, each a paragraph. What a run may not do, no part of it suggests. */
export function preambleText(run: Preambled): string {
  const parts = [pingPart(run), reportPart(run), toolPart(run), skillPart(run)]
  return parts.filter((part) => part !== '').join('\n\n')
}

function pingPart({ allowPing }: JobRights): string {
  if (!allowPing) return 'PINGS: ping_user and send_embed are disabled for this run.'
  return 'PINGS: ping_user and send_embed write to the person, who did not ask for it: one of them in this run at most. Ask yourself whether they would regret missing it.'
}

function reportPart({ reporting }: JobRights): string {
  switch (reporting) {
    case 'on_ping':
      return 'REPORTING: if you write to the person, also call report_updates with a summary before you end, and again if you write to them after that. Otherwise reporting is not needed.'
    case 'always':
      return 'REPORTING: call report_updates with a summary of what you found before you end. The main session learns of this run only by that.'
    case 'freely':
      return 'REPORTING: call report_updates if the main session should know what you found. You need not.'
    case 'blocked':
      return 'REPORTING: this run does not report; the main session does not learn of it.'
  }
}

function toolPart(run: JobRights): string {
  const added = addedTools(run)
  if (added.length === 0) return ''
  return `TOOLS: besides what every run has, you may call: ${patternsText(added)}. Anything else is refused.`
}

function skillPart({ skills, skillsIn }: Preambled): string {
  if (skills.length === 0) return ''
  const names = patternsText(skills)
  if (skillsIn === 'system')
    return `REQUIRED SKILLS: ${names}. Their instructions are in your system text: follow each.`
  return `REQUIRED SKILLS: ${names}. Load each with read_skill before you begin, and follow it.`
}
