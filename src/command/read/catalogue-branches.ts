import {
  branch,
  branchAndMessage,
  flag,
  forkArguments,
  nothing,
  optionalText,
  replyArguments,
  requiredFile,
} from './arguments.ts'
import type { CommandEntry } from './command-entry.ts'

/** Commands about forks, children, runs, and what they say. */
export const branchEntries = [
  {
    name: 'fork',
    aliases: [],
    group: 'branches',
    usage: ['[MARK] [-- GOAL]', '[MARK] --enter [--idle MINUTES] [-- TOPIC]'],
    help: 'a fork to talk in (--enter); GOAL: a child',
    more: `Alone or with --enter, it takes you into a fork: it knows all that was said
here, and main does not see what you say there. There is one fork at a time;
/save, /report or /exit end it. When nobody says anything there for a while
(forkIdleTimeout, or --idle MINUTES), the agent is asked to wrap it up; twice
as long, it is told to end it; three times as long, the fork is ended and main
is told what it was about. A word from you keeps it open.
With a GOAL, a child works on it by itself and you stay here. With a MARK, a
child knows only what follows the mark, and does the task it finds there;
/fork MARK --enter takes you into a fork that knows only that.`,
    example: '/fork --enter -- the trip to Lisbon',
    when: 'at-once',
    offers: ['MARK', '--enter'],
    read: forkArguments,
  },
  {
    name: 'save',
    aliases: [],
    group: 'branches',
    usage: [''],
    help: 'end this fork and make it part of main',
    more: `What was said in this fork becomes part of the main session, as the fork
shows it now, and you are back in main. If it was opened in a child, what that
said comes along. If main's answer is not finished, it waits for that, and
/stop takes it back. /undo in main takes it out again.`,
    example: '/save',
    when: 'turn-end',
    offers: [],
    read: nothing,
  },
  {
    name: 'report',
    aliases: [],
    group: 'branches',
    usage: ['[TEXT]'],
    help: 'end this fork and tell main about it',
    more: `Main hears TEXT in its next turn, or else a summary in sentences from this
fork; nothing else of it. You are back where you opened the fork.`,
    example: '/report We take the train at ten.',
    when: 'turn-end',
    offers: [],
    read: optionalText,
  },
  {
    name: 'exit',
    aliases: ['quit'],
    group: 'branches',
    usage: [''],
    help: 'end this fork; in main: leave',
    more: `In a fork it ends the fork and brings you back. Main knows nothing of it; the
log keeps it, and /switch ID opens a copy. /save and /report keep more.
In a child it brings you back, and the child goes on. In main it leaves the
program, where there is one to leave.`,
    example: '/exit',
    when: 'at-once',
    offers: [],
    read: nothing,
  },
  {
    name: 'switch',
    aliases: [],
    group: 'branches',
    usage: ['ID'],
    help: 'talk to that branch; main: come back',
    more: `What you write from now on goes to that branch. The first three characters of
an ID will do if no other ID begins with them. /switch main brings you back,
and a fork that you leave so stays open. For a branch that has ended, or a
background run, a fork with a copy of it is opened.`,
    example: '/switch k3f9ab',
    when: 'at-once',
    offers: ['ID'],
    read: branch,
  },
  {
    name: 'agents',
    aliases: [],
    group: 'branches',
    usage: ['[all]'],
    help: 'the tree of branches and their state',
    more: `Shows each branch with its ID, state, unread mail, age and cost. 'all' shows
those that have ended, too.`,
    example: '/agents all',
    when: 'at-once',
    offers: ['all'],
    read: flag('all'),
  },
  {
    name: 'kill',
    aliases: [],
    group: 'branches',
    usage: ['ID'],
    help: 'end a branch and all branches below it',
    more: `Work that runs there is stopped at once. The log keeps what was said. The main
session cannot be killed.`,
    example: '/kill k3f9ab',
    when: 'at-once',
    offers: ['ID'],
    read: branch,
  },
  {
    name: 'send',
    aliases: [],
    group: 'branches',
    usage: ['ID MESSAGE'],
    help: 'mail a message to a branch',
    more: `The message is the rest of the line; one pair of quotes around it is dropped.
Mail wakes a child that is idle.`,
    example: '/send k3f9ab The deadline moved to Friday.',
    when: 'at-once',
    offers: ['ID'],
    read: branchAndMessage,
  },
  {
    name: 'check-mail',
    aliases: ['check_mail', 'checkmail', 'mail'],
    group: 'branches',
    usage: [''],
    help: 'read the unread mail of this branch',
    more: `Shows the unread messages, oldest first, marks them as read, and adds them to
the context as notes, so that the model knows them too.`,
    example: '/check-mail',
    when: 'step-end',
    offers: [],
    read: nothing,
  },
  {
    name: 'run',
    aliases: [],
    group: 'branches',
    usage: ['FILE'],
    help: 'start a background run from a file',
    more: `The FILE is a Markdown file in the workspace, such as jobs/brief.md. Its
text is the task. Front matter before it can say how the run works:
  ---
  isolated: true               without what was said in main (false)
  allow-ping: false            whether it may write to you (true)
  update-main-session: always  when it tells main (on_ping)
  ---
'mainstem help run' lists all fields. You go on talking; what the run has to
say comes as a numbered message or an update. A webhook takes data behind its
file: /run webhooks/build.md {"branch": "main"}`,
    example: '/run jobs/brief.md',
    when: 'at-once',
    offers: [],
    read: requiredFile,
  },
  {
    name: 'updates',
    aliases: [],
    group: 'branches',
    usage: ['[all]'],
    help: 'what the background reported',
    more: `Shows what waits for main's next turn; nothing is taken by looking. 'all'
shows what main was told before, too.`,
    example: '/updates',
    when: 'at-once',
    offers: ['all'],
    read: flag('all'),
  },
  {
    name: 'reply',
    aliases: [],
    group: 'branches',
    usage: ['NUMBER TEXT'],
    help: 'answer a message from the background',
    more: `Messages that nobody asked for have a number, as in '#3'. Your reply opens a
fork that knows what the job behind the message did; the job itself goes on as
it was. A second reply goes to the same fork. After 7 days the message is only
quoted.`,
    example: '/reply 3 Move it to Friday, please.',
    when: 'at-once',
    offers: ['NUMBER'],
    read: replyArguments,
  },
] as const satisfies readonly CommandEntry[]
