import {
  firstWord,
  flag,
  nothing,
  numberIn,
  optionalText,
  quotable,
  withoutRemark,
  type CommandEntry,
  type Reading,
} from './arguments.ts'

/** Commands about forks, children, runs, and what they say. */
export const branchEntries = [
  {
    name: 'fork',
    group: 'forks',
    usage: ['[MARK] [-- GOAL]', '[MARK] --enter [--idle MINUTES] [-- TOPIC]'],
    help: 'talk in a fork (--enter); with a GOAL: a child',
    more: `Alone or with --enter, opens a fork and takes you there: it knows everything
said here, and main does not see what you say there. There is one fork at a
time; end it with /save, /report or /exit. If nobody writes there for a while
(forkIdleTimeout, or --idle MINUTES), the agent is asked to wrap up; after
twice as long, to end it; after three times as long, the fork is ended and
main is told what it was about. Writing something keeps it open.
With a GOAL, a child works on it alone and you stay here. With a MARK, the
child knows only what follows the mark, and does the task it finds there;
/fork MARK --enter opens a fork that knows only that.`,
    example: '/fork --enter -- the trip to Lisbon',
    offers: ['MARK', '--enter'],
    read: forkArguments,
  },
  {
    name: 'save',
    group: 'forks',
    help: 'end this fork and add it to main',
    more: `Adds what was said in this fork to the main session, as the fork shows it now,
and takes you back to main. A fork of a child brings along what the child
said. If main is still answering, /save waits; /stop cancels it. /undo in main
removes it again.`,
    example: '/save',
    when: 'turn-end',
    read: nothing,
  },
  {
    name: 'report',
    group: 'forks',
    usage: ['[TEXT]'],
    help: 'end this fork and tell main about it',
    more: `Main gets TEXT in its next turn, or else a summary made of sentences from this
fork, and nothing else. You go back to where you opened the fork.`,
    example: '/report We take the train at ten.',
    when: 'turn-end',
    read: optionalText,
  },
  {
    name: 'exit',
    aliases: ['quit'],
    group: 'forks',
    help: 'end this fork; in main: leave',
    more: `In a fork: ends it and takes you back. Main does not learn about it; the log
keeps it, and /switch ID opens a copy. /save and /report keep more.
In a child: takes you back, and the child goes on. In main: leaves the
program, if there is one to leave.`,
    example: '/exit',
    read: nothing,
  },
  {
    name: 'switch',
    group: 'forks',
    usage: ['ID'],
    help: `talk to another branch; 'main' goes back`,
    more: `What you write from now on goes to that branch. The first three characters of
an ID are enough if no other ID begins with them. /switch main goes back, and
the fork you leave stays open. If the branch has ended or is a background run,
a fork with a copy of it is opened.`,
    example: '/switch k3f9ab',
    offers: ['ID'],
    read: branch,
  },
  {
    name: 'agents',
    group: 'forks',
    usage: ['[all]'],
    help: 'the tree of forks, children and runs',
    more: `Shows each branch with its ID, state, unread mail, age and cost. 'all'
includes those that have ended.`,
    example: '/agents all',
    offers: ['all'],
    read: flag('all'),
  },
  {
    name: 'kill',
    group: 'forks',
    usage: ['ID'],
    help: 'end a branch and everything below it',
    more: `Stops its work at once. The log keeps what was said. The main session cannot
be killed.`,
    example: '/kill k3f9ab',
    offers: ['ID'],
    read: branch,
  },
  {
    name: 'send',
    group: 'forks',
    usage: ['ID MESSAGE'],
    help: 'send mail to a branch',
    more: `The message is the rest of the line; one pair of quotes around it is dropped.
Mail wakes an idle child.`,
    example: '/send k3f9ab The deadline moved to Friday.',
    offers: ['ID'],
    read: branchAndMessage,
  },
  {
    name: 'check-mail',
    aliases: ['check_mail', 'checkmail', 'mail'],
    group: 'forks',
    help: 'read the unread mail here',
    more: `Shows the unread messages, oldest first, marks them as read, and adds them to
the context as notes, so that the model knows them too.`,
    example: '/check-mail',
    when: 'step-end',
    read: nothing,
  },
  {
    name: 'run',
    group: 'forks',
    usage: ['FILE'],
    help: 'start a background run from a file',
    more: `FILE is a Markdown file in the workspace, such as jobs/brief.md. Its text is
the task. Front matter before it can say how the run works:
  ---
  isolated: true               without what was said in main (false)
  allow-ping: false            whether it may write to you (true)
  update-main-session: always  when it tells main (on_ping)
  ---
'mainstem help run' lists all fields. You can keep talking; the run answers
with a numbered message or an update. A webhook takes data after its file:
/run webhooks/build.md {"branch": "main"}`,
    example: '/run jobs/brief.md',
    read: requiredFile,
  },
  {
    name: 'updates',
    group: 'forks',
    usage: ['[all]'],
    help: 'what forks and runs reported',
    more: `Shows what main gets in its next turn. Viewing doesn't consume it. 'all'
includes what main already got.`,
    example: '/updates',
    offers: ['all'],
    read: flag('all'),
  },
  {
    name: 'reply',
    group: 'forks',
    usage: ['NUMBER TEXT'],
    help: 'answer a message from a run',
    more: `Messages you did not ask for have a number, as in '#3'. Your reply opens a
fork that knows what the job behind the message did; the job itself goes on.
A second reply goes to the same fork. After 7 days the message is only quoted.`,
    example: '/reply 3 Move it to Friday, please.',
    offers: ['NUMBER'],
    read: replyArguments,
  },
] as const satisfies readonly CommandEntry[]

export interface ForkArguments {
  /** As typed. Of several words it is no mark: the person may have meant a goal. */
  readonly mark: string | null
  readonly enter: boolean
  /** With `enter`: the topic. */
  readonly goal: string | null
  /** With `enter`: after so many minutes without a word the agent is asked to wrap up. */
  readonly idle: number | null
}

/** Phones write `—` for two hyphens. */
const SEPARATOR = /^(?:--|[–—])$/
const ENTER = /^(?:--|[–—])enter$/

export function forkArguments(text: string): Reading<ForkArguments> {
  const [first, rest] = firstWord(text)
  const [second, after] = firstWord(rest)
  const bare: ForkArguments = { mark: null, enter: false, goal: null, idle: null }
  if (first === '') return { fits: bare }
  if (SEPARATOR.test(first)) return withGoal(bare, rest)
  if (ENTER.test(first)) return enterArguments({ ...bare, enter: true }, rest)
  if (IDLE.test(first)) return enterArguments({ ...bare, enter: true }, text)
  if (first.startsWith('-')) {
    return { misfit: `has no option '${quotable(first)}'; a goal follows '--' and a space.` }
  }
  if (SEPARATOR.test(second)) return withGoal({ ...bare, mark: first }, after)
  const entered = { ...bare, mark: first, enter: true }
  if (ENTER.test(second)) return enterArguments(entered, after)
  if (IDLE.test(second)) return enterArguments(entered, rest)
  return { fits: { ...bare, mark: withoutRemark(text) } }
}

function enterArguments(bare: ForkArguments, text: string): Reading<ForkArguments> {
  const [first, rest] = firstWord(text)
  if (first === '') return { fits: bare }
  if (SEPARATOR.test(first)) return withGoal(bare, rest)
  if (!IDLE.test(first) || bare.idle !== null)
    return { misfit: `takes a topic only after '--', as in '--enter -- ${quotable(text)}'.` }
  const [minutes, after] = firstWord(rest)
  if (!/^[1-9]\d{0,3}$/.test(minutes) || Number(minutes) > IDLE_MINUTES_MAX)
    return { misfit: `takes minutes from 1 to ${IDLE_MINUTES_MAX} after '--idle'.` }
  return enterArguments({ ...bare, idle: Number(minutes) }, after)
}

const IDLE = /^(?:--|[–—])idle$/
const IDLE_MINUTES_MAX = 1_440

export interface ReplyArguments {
  readonly number: number
  readonly message: string
}

export function replyArguments(text: string): Reading<ReplyArguments> {
  const [word, message] = firstWord(text)
  const number = numberIn(word)
  if (number === undefined) return { misfit: 'needs the number of a message and a text.' }
  if (message === '') return { misfit: 'needs a text after the number.' }
  return { fits: { number, message } }
}

function withGoal(fork: ForkArguments, goal: string): Reading<ForkArguments> {
  if (goal !== '') return { fits: { ...fork, goal } }
  return { misfit: `needs a ${fork.enter ? 'topic' : 'goal'} after '--'.` }
}

/** For a model: there is nobody who could enter what it forks. */
export function childArguments(text: string): Reading<ForkArguments> {
  const [first, rest] = firstWord(text)
  const [second] = SEPARATOR.test(first) ? [''] : firstWord(rest)
  if ([first, second].some((word) => ENTER.test(word) || IDLE.test(word)))
    return { misfit: 'does not take --enter, which is for people.' }
  return forkArguments(text)
}

export function branch(text: string): Reading<{ readonly id: string }> {
  if (text !== '' && firstWord(text)[0] === text) return { fits: { id: text } }
  return { misfit: 'takes the ID of one branch.' }
}

export function branchAndMessage(text: string): Reading<{ readonly id: string; readonly message: string }> {
  const [id, rest] = firstWord(text)
  const message = unquoted(rest)
  if (message.trim() !== '') return { fits: { id, message } }
  return { misfit: id === '' ? 'needs an ID and a message.' : 'needs a message after the ID.' }
}

/** One pair of quotes goes if it surrounds the text, which that of `"yes" or "no"` does not. */
function unquoted(text: string): string {
  const quote = text.charAt(0)
  if (text.length < 2 || !/["']/.test(quote) || !text.endsWith(quote)) return text
  const inside = text.slice(1, -1)
  const next = inside.indexOf(quote)
  const closesBefore = /\S/.test(inside.charAt(next - 1)) && /\s/.test(inside.charAt(next + 1))
  return closesBefore ? text : inside
}

export function requiredFile(text: string): Reading<{ readonly text: string }> {
  return text === '' ? { misfit: 'needs a file.' } : { fits: { text } }
}
