import type { JobKind } from '../../event/job.ts'
import type { Command } from '../frame/command.ts'

type Words = Pick<Command, 'summary' | 'usage' | 'details'>

const ANY_VERBS = `
  run ID             runs it now, in the background, and shows what it does
  pause ID [TIME]    pauses it for TIME: 2h, 1d, "tomorrow 9:00"; without TIME until resume
  resume ID          ends the pause
  cancel ID          deletes it
`

const VERBS = `
  list               all of them, the next one first, and files with mistakes
  show ID            everything about one: its next times, how it went, its pings, its file${ANY_VERBS}`

const HOOK_VERBS = `
  list               all of them, and files with mistakes
  show ID            everything about one: how it went, its pings, its file
  url ID             its address, and how to call it${ANY_VERBS}`

const COMMON = `
  --id ID            its name; otherwise made from the text
  --description D    for lists
  --isolated         without the main session's history
  --no-ping          it may not write to you
  --update MODE      when it tells main: on_ping, always, freely or blocked (on_ping)
  --tools T          what it may call besides reading files, comma-separated
  --skills S         skills it follows, comma-separated
  --model M          its own model; with run, for this time
  --thinking T       true, false or a number of tokens
  --for PERSON       the person it is for, if not you`

const FOOTER = `
  --json             output as JSON

Works while another process has the log, which then does run, pause and resume.
TEXT can be - for standard input.`

/** The help of each command. */
export const jobWords: Readonly<Record<JobKind, Words>> = {
  routine: {
    summary: 'recurring jobs',
    usage: 'list | add TEXT --cron FIELDS | show|run|resume|cancel ID | pause ID [TIME]',
    details: `A routine is a Markdown file in workspace/routines, which you can also edit by hand; changes take
effect within seconds. mainstem and 'mainstem serve' start it when it is due.

  add TEXT           adds one: TEXT is the task${VERBS}
With add:
  --cron FIELDS      minute, hour, day of the month, month, weekday; "30 8 * * 1-5" is half past eight
                     from Monday to Friday
  --timezone Z       its time zone, such as Europe/Berlin; otherwise yours
  --background       run in the background, not in the conversation
  --session HOW      'persistent': in the background; each run continues the last one
  --catch-up HOW     for a run missed while mainstem was off: skip, once, or a duration such as
                     2h: once, if missed by less (1h)${COMMON}
${FOOTER}`,
  },
  reminder: {
    summary: 'one-time jobs',
    usage: 'list | add TEXT --at WHEN | show|run|resume|cancel ID | pause ID [TIME]',
    details: `A reminder is a Markdown file in workspace/reminders, which you can also edit by hand. mainstem and
'mainstem serve' start it when it is due, or at the next start. Then its file is deleted.

  add TEXT           adds one: TEXT is what to be reminded of, or the task${VERBS}
With add:
  --at WHEN          "in 20 minutes", "18:30", "tomorrow 9:00", "Friday 14:00", "2026-08-01T09:00"
  --timezone Z       its time zone, such as Europe/Berlin; otherwise yours
  --background       run in the background, not in the conversation
  --max-chain N      how often it may check again${COMMON}
${FOOTER}`,
  },
  webhook: {
    summary: 'jobs that another program starts',
    usage: 'list | add TEXT | show|url|run|resume|cancel ID | pause ID [TIME]',
    details: `A webhook is a Markdown file in workspace/webhooks, which you can also edit by hand. 'mainstem serve'
runs it for every request with its secret; run, with --data, starts it by hand.

  add TEXT           adds one: TEXT is the task; {title} stands for a field of the data${HOOK_VERBS}
With add:
  --fields FILE      the data it takes: a JSON Schema of an object, or only its properties
  --secret-env NAME  the variable with its secret, which begins with MAINSTEM_HOOK_; it is set in the
                     environment, or in the file .env of the home. Without it nobody can call it${COMMON}

With run:
  --data JSON        its data; @FILE reads it from a file
${FOOTER}`,
  },
}
