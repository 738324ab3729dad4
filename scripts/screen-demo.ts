import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../src/base/clock.ts'
import { wantsColour } from '../src/base/environment.ts'
import type { Completion, Entry } from '../src/channel/terminal/port.ts'
import { openScreen } from '../src/channel/terminal/screen/screen.ts'
import { type FakePort, fakePort, someStatus } from '../test/stand-ins/terminal-port.ts'

/** The chat screen with nobody behind it, to look at: `node scripts/screen-demo.ts [pieces per second]`. */
const perSecond = Number(process.argv[2] ?? 60)

const ANSWER = `# What changed in the parser

The parser now keeps **positions** instead of *offsets*, so \`range.from\` and \`range.to\` point at real messages. See [decision 1](https://example.org/decisions/001) for the reasons.

## In short

- Ranges name their branch, so two lines that interleave no longer show each other's messages
- A rewind cuts by the owner's time:
  - inherited items are older than every mark
  - a save carries the position at which it came in
- 电车很快，也很安静。长的中文句子没有空格，也必须在正确的位置换行，不能超出终端的宽度。🚋

1. Read the list
2. Cut it where the mark stands
3. Append what is new

> Nothing leaves a context without an event that says who did it.

\`\`\`ts
export function cut(list: List, mark: Position): List {
  // Marks are positions in the owner's time.
  return { ...list, items: list.items.filter((item) => keyOf(item) <= mark) }
}
\`\`\`

| act | writes | undo |
|---|---|:-:|
| \`/clear\` | an empty list | yes |
| \`/rewind A\` | the list, cut where the mark stands | yes |
| \`/fork\` | a reference to the parent's version and head | no |

That is all. Shall I run the tests again?
`

const COMMANDS: readonly Completion[] = [
  { line: '/mark ', label: '/mark NAME', help: 'remembers this place' },
  {
    line: '/rewind ',
    label: '/rewind [MARK]',
    help: 'goes back to a mark; what came after it is kept in the log',
  },
  { line: '/recall ', label: '/recall WORDS', help: 'finds what was said, also in other branches' },
  { line: '/reload', label: '/reload', help: 'reads AGENTS.md and the skills again' },
  { line: '/fork ', label: '/fork [TEXT]', help: 'starts a branch from here' },
  { line: '/context', label: '/context', help: 'shows what the model sees' },
  { line: '/clear', label: '/clear', help: 'empties the context' },
  { line: '/exit', label: '/exit', help: 'leaves' },
]

const DAY = 86_400_000

function past(now: number): Entry[] {
  return [
    { kind: 'said', text: 'Remind me tomorrow at nine to call the workshop.', at: now - DAY },
    { kind: 'tool', name: 'reminder', summary: 'set "call the workshop" → tomorrow 09:00', isError: false },
    {
      kind: 'answer',
      text: 'I will remind you **tomorrow at 09:00**.',
      at: now - DAY + 4_000,
      branch: 'main',
    },
    { kind: 'notice', text: 'Offline since 02:10; 1 routine ran late.' },
  ]
}

async function answer(port: FakePort, text: string): Promise<void> {
  if (text === '/exit') return port.tell({ kind: 'leave' })
  if (text.startsWith('/')) {
    const isError = text.startsWith('/x')
    const said = isError
      ? `There is no command ${text}. /help lists them.`
      : 'Checkpoint created.\nmain  12 messages'
    return port.tell({ kind: 'entry', entry: { kind: 'output', text: said, isError } })
  }
  port.tell({ kind: 'turn-started', at: systemClock() })
  await runTools(port)
  for (let at = 0; at < ANSWER.length && !turn.isStopped; at += 4) {
    port.tell({ kind: 'piece', text: ANSWER.slice(at, at + 4) })
    await sleep(1_000 / perSecond)
  }
  if (!turn.isStopped)
    port.tell({ kind: 'entry', entry: { kind: 'answer', text: ANSWER, at: systemClock(), branch: 'main' } })
  port.tell({ kind: 'turn-ended' })
  turn.isStopped = false
  port.tell({
    kind: 'status',
    status: { ...someStatus, tokens: 26_400, unreadMail: 2, costToday: 0.12, running: 1 },
  })
}

const turn = { isStopped: false }

async function runTools(port: FakePort): Promise<void> {
  port.tell({ kind: 'call-started', name: 'read_file', summary: 'src/context/list.ts' })
  port.tell({ kind: 'call-started', name: 'web_fetch', summary: 'https://example.org/decisions/001' })
  await sleep(1_500)
  const read = {
    kind: 'tool',
    name: 'read_file',
    summary: 'src/context/list.ts → 214 lines',
    isError: false,
    details: 'path: src/context/list.ts\n→\nexport interface List {\n  readonly items: readonly Item[]\n}',
  } as const
  port.tell({ kind: 'entry', entry: read })
  await sleep(500)
  const fetched = {
    kind: 'tool',
    name: 'web_fetch',
    summary: 'https://example.org/decisions/001 → 404 Not Found',
    isError: true,
    details: 'url: https://example.org/decisions/001\n→\n404 Not Found: there is no such page.',
  } as const
  port.tell({ kind: 'entry', entry: fetched })
}

let running: { readonly text: string; readonly done: Promise<void> } | null = null

async function start(text: string): Promise<void> {
  const done = answer(port, text)
  if (text.startsWith('/')) return done
  running = { text, done }
  await done
  if (running.text === text) running = null
}

const port: FakePort = fakePort({
  past: past(systemClock()),
  typed: ['What changed in the parser?'],
  status: { costToday: 0.08 },
  completions: COMMANDS,
  onSubmit: async (text) => {
    if (running === null || text.startsWith('/')) void start(text)
  },
  // A message waits for the turn that runs.
  onTaken: async (text) => {
    if (text.startsWith('/') || running?.text === text) return
    await running?.done
    void start(text)
  },
  onStop: async () => (turn.isStopped = true),
})

const colour = wantsColour(process.stdout, process.env) ? 'colour' : 'plain'
const isSpoken = process.argv.includes('--spoken')
await openScreen(port, process, { colour, clock: systemClock, isSpoken }).finished
