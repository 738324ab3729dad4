import type { JobKind } from '../../event/job.ts'
import type { Command } from '../frame/command.ts'

type Words = Pick<Command, 'summary' | 'usage' | 'details'>

const ANY_VERBS = `
  run ID             runs it now, in the background, and shows what it does
  pause ID [TIME]    it does not start until then: 2h, 1d, "tomorrow 9:00"; without TIME until resume
  resume ID          ends that
  cancel ID          takes it away
`

const VERBS = `
  list               all of them, the next one first, and the files that cannot be used
  show ID            everything about one: its next times, how it went, its pings, its file${ANY_VERBS}`

const HOOK_VERBS = `
  list               all of them, and the files that cannot be used
  show ID            everything about one: how it went, its pings, its file${ANY_VERBS}`

const COMMON = `
  --id ID            its name; else one is made of the text
  --description D    for lists
  --isolated         without what was said in the main session
  --no-ping          it may not write to you
  --update MODE      when it tells main: on_ping, always, freely or blocked (on_ping)
  --tools T          what it may call besides reading files, separated by commas
  --skills S         what it has to follow, separated by commas
  --model M          another model than that of main; with run for this time
  --thinking T       true, false or a number of tokens
  --for PERSON       whose it is, if it is not yours`

const FOOTER = `
  --wait             with run, where another process runs it: wait for its end
  --json             the same for programs

Works while another process writes to the log: run, pause and resume are handed over to it then.
TEXT may be - for the standard input.`

/** The help of each command. */
export const jobWords: Readonly<Record<JobKind, Words>> = {
  routine: {
    summary: 'what is done again and again, at times that you choose',
    usage: 'list | add TEXT --cron FIELDS | show|run|resume|cancel ID | pause ID [TIME]',
    details: `A routine is a Markdown file in workspace/routines, which you may as well edit by hand: what you
change there counts within seconds. mainstem and 'mainstem daemon' start it when it is due.

  add TEXT           a new one: TEXT is what is to be done${VERBS}
With add:
  --cron FIELDS      minute, hour, day of the month, month, weekday; "30 8 * * 1-5" is half past eight
                     from Monday to Friday
  --timezone Z       by the clock there, such as Europe/Berlin; else by yours
  --background       beside the main session and not in it
  --session persistent   in the background, and each time goes on where it ended the last time
  --catch-up HOW     what becomes of a time that nobody was there for: skip, once, or a duration such
                     as 2h: once, if it was missed by less (1h)${COMMON}
${FOOTER}`,
  },
  reminder: {
    summary: 'what falls due once, and when',
    usage: 'list | add TEXT --at WHEN | show|run|resume|cancel ID | pause ID [TIME]',
    details: `A reminder is a Markdown file in workspace/reminders, which you may as well edit by hand. mainstem
and 'mainstem daemon' start it when it is due; what fell due while neither ran is done at the next
start. Then its file goes.

  add TEXT           a new one: TEXT is what you want to be reminded of, or what is to be done${VERBS}
With add:
  --at WHEN          "in 20 minutes", "18:30", "tomorrow 9:00", "Friday 14:00", "2026-08-01T09:00"
  --timezone Z       by the clock there, such as Europe/Berlin; else by yours
  --background       beside the main session and not in it
  --max-chain N      it may look again so many times${COMMON}
${FOOTER}`,
  },
  webhook: {
    summary: 'what is done when something else says so',
    usage: 'list | add TEXT | show|run|resume|cancel ID | pause ID [TIME]',
    details: `A webhook is a Markdown file in workspace/webhooks, which you may as well edit by hand. It has no
address on the network yet: run, with --data, is what starts it.

  add TEXT           a new one: TEXT is what is to be done; {title} stands for a field of the data${HOOK_VERBS}
With add:
  --fields FILE      which data it may be sent: a JSON Schema of an object, or its properties alone
  --secret-env NAME  the variable of the environment that holds its secret${COMMON}

With run:
  --data JSON        what it is sent; @FILE reads it from a file
${FOOTER}`,
  },
}
