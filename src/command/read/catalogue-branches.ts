import {
  firstWord,
  flag,
  numberIn,
  optionalText,
  quotable,
  required,
  withoutRemark,
  type Entries,
  type Reading,
} from './arguments.ts'

/** Commands about forks, children and runs, their mail and their reports. */
export const branchEntries = {
  fork: {
    usage: ['[MARK] [-- GOAL]', '[MARK] --enter [--at POSITION] [--idle MINUTES] [-- TOPIC]'],
    help: 'talk in a fork (--enter); with a GOAL: a child',
    more: `Alone or with --enter, opens a fork and takes you there: it knows everything
said here, and main does not see what you say there. There is one fork at a
time; end it with /save, /report or /exit. If nobody writes there for a while
(forkIdleTimeout, or --idle MINUTES), the agent is asked to wrap up; after
twice as long, to end it; after three times as long, the fork is ended and
main is told what it was about. Writing something keeps it open.
With a GOAL, a child works on it alone and you stay here. With a MARK, the
child knows only what follows the mark, and does the task it finds there;
/fork MARK --enter opens a fork that knows only that. With --at, it knows what
was said up to the message at that position of the log, and nothing later.`,
    example: '/fork --enter -- the trip to Lisbon',
    offers: ['MARK', ['--enter', 'open the fork and talk there']],
    read: forkArguments,
  },
  save: {
    help: 'end this fork and add it to main',
    more: `Adds what was said in this fork to the main session, as the fork shows it now,
and takes you back to main. A fork of a child brings along what the child
said. If main is still answering, /save waits; /stop cancels it. /undo in main
removes it again.`,
    when: 'turn-end',
  },
  report: {
    usage: ['[TEXT]'],
    help: 'end this fork and tell main about it',
    more: `Main gets TEXT in its next turn, or else a summary that the fork's agent writes
for it, and nothing else. You go back to where you opened the fork.`,
    example: '/report We take the train at ten.',
    when: 'turn-end',
    read: optionalText,
  },
  exit: {
    aliases: ['quit'],
    help: 'end this fork; in main: leave',
    more: `In a fork: ends it and takes you back. Main does not learn about it; the log
keeps it, and /switch ID opens a copy. /save and /report keep more.
In a child: takes you back, and the child goes on. In main: closes the chat in
the terminal.`,
  },
  switch: {
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
  agents: {
    usage: ['[all]'],
    help: 'the tree of forks, children and runs',
    more: `Shows each branch with its ID, state, unread mail, age and cost. 'all'
includes those that have ended.`,
    example: '/agents all',
    offers: [['all', 'with those that have ended']],
    read: flag('all'),
  },
  kill: {
    usage: ['ID'],
    help: 'end a branch and everything below it',
    more: `Stops its work at once. The log keeps what was said. The main session cannot
be killed.`,
    example: '/kill k3f9ab',
    offers: ['ID'],
    read: branch,
  },
  send: {
    usage: ['ID MESSAGE'],
    help: 'send mail to a branch',
    more: `The message is the rest of the line; one pair of quotes around it is dropped.
Mail wakes an idle child.`,
    example: '/send k3f9ab The deadline moved to Friday.',
    offers: ['ID'],
    read: branchAndMessage,
  },
  'check-mail': {
    aliases: ['check_mail', 'checkmail', 'mail'],
    help: 'read the unread mail here',
    more: `Shows the unread messages, oldest first, marks them as read, and adds them to
the context as notes, so that the model knows them too.`,
    when: 'step-end',
  },
  run: {
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
    offers: ['FILE'],
    read: required('file'),
  },
  updates: {
    usage: ['[all]'],
    help: 'what forks and runs reported',
    more: `Shows what main gets in its next turn. Viewing doesn't consume it. 'all'
includes what main already got.`,
    offers: [['all', 'with what main already got']],
    read: flag('all'),
  },
  reply: {
    usage: ['NUMBER TEXT'],
    help: 'answer a message from a run',
    more: `Pings and notices have a number, as in '#3'. Your reply opens a fork that
knows what the job behind the message did; the job itself goes on.
A second reply goes to the same fork. After 7 days the message is only quoted.`,
    example: '/reply 3 Move it to Friday, please.',
    offers: ['NUMBER'],
    read: replyArguments,
  },
} as const satisfies Entries

export interface ForkArguments {
  /** As typed. Of several words it is no mark: the person may have meant a goal. */
  readonly mark: string | null
  readonly enter: boolean
  /** With `enter`: the topic. */
  readonly goal: string | null
  /** With `enter`: the message after which it sees nothing. */
  readonly place?: number
  /** With `enter`: after so many minutes without a message the agent is asked to wrap up. */
  readonly idle: number | null
}

function forkArguments(text: string): Reading<ForkArguments> {
  const [first, rest] = firstWord(text)
  const bare: ForkArguments = { mark: null, enter: false, goal: null, idle: null }
  if (first === '' || forkOption(first) !== undefined) return forkOptions(bare, text)
  if (first.startsWith('-')) return `has no option '${quotable(first)}'; a goal follows '--' and a space.`
  if (forkOption(firstWord(rest)[0]) !== undefined) return forkOptions({ ...bare, mark: first }, rest)
  return { ...bare, mark: withoutRemark(text) }
}

/** `enter`, `at`, `idle`, or '' for the `--` before a goal. Phones write `—` for two hyphens. */
function forkOption(word: string): string | undefined {
  return /^(?:--|[–—])(|enter|at|idle)$/.exec(word)?.[1]
}

const IDLE_MINUTES_MAX = 1_440

function forkOptions(fork: ForkArguments, text: string): Reading<ForkArguments> {
  const [first, rest] = firstWord(text)
  if (first === '') return fork
  const option = forkOption(first)
  if (option === '')
    return rest === '' ? `needs a ${fork.enter ? 'topic' : 'goal'} after '--'.` : { ...fork, goal: rest }
  if (option === 'enter' && !fork.enter) return forkOptions({ ...fork, enter: true }, rest)
  if (option === 'at' && fork.place === undefined) {
    const [place, behind] = firstWord(rest)
    if (!/^[1-9]\d{0,14}$/.test(place)) return `takes the position of a message after '--at'.`
    return forkOptions({ ...fork, enter: true, place: Number(place) }, behind)
  }
  if (option !== 'idle' || fork.idle !== null)
    return `takes a topic only after '--', as in '--enter -- ${quotable(text)}'.`
  const [minutes, after] = firstWord(rest)
  if (!/^[1-9]\d{0,3}$/.test(minutes) || Number(minutes) > IDLE_MINUTES_MAX)
    return `takes minutes from 1 to ${IDLE_MINUTES_MAX} after '--idle'.`
  return forkOptions({ ...fork, enter: true, idle: Number(minutes) }, after)
}

/** For a model: nobody could enter the fork it makes. */
export function childArguments(text: string): Reading<ForkArguments> {
  const [first, rest] = firstWord(text)
  const second = forkOption(first) === '' ? '' : firstWord(rest)[0]
  return forkOption(first) || forkOption(second)
    ? 'does not take --enter, which is for people.'
    : forkArguments(text)
}

function replyArguments(text: string): Reading<{ readonly number: number; readonly message: string }> {
  const [word, message] = firstWord(text)
  const number = numberIn(word)
  if (number === undefined) return 'needs the number of a message and a text.'
  return message === '' ? 'needs a text after the number.' : { number, message }
}

function branch(text: string): Reading<{ readonly id: string }> {
  return text !== '' && firstWord(text)[0] === text ? { id: text } : 'takes the ID of one branch.'
}

function branchAndMessage(text: string): Reading<{ readonly id: string; readonly message: string }> {
  const [id, rest] = firstWord(text)
  const message = unquoted(rest)
  if (message.trim() !== '') return { id, message }
  return id === '' ? 'needs an ID and a message.' : 'needs a message after the ID.'
}

/** Drops one pair of quotes that surrounds the text; the quotes of `"yes" or "no"` do not. */
function unquoted(text: string): string {
  const quote = text.charAt(0)
  if (text.length < 2 || !/["']/.test(quote) || !text.endsWith(quote)) return text
  const inside = text.slice(1, -1)
  const next = inside.indexOf(quote)
  const closesBefore = /\S/.test(inside.charAt(next - 1)) && /\s/.test(inside.charAt(next + 1))
  return closesBefore ? text : inside
}
