import { systemClock } from '../../src/base/clock.ts'
import { wantsColour } from '../../src/base/environment.ts'
import type { Question, ScreenHappening } from '../../src/channel/terminal/port.ts'
import { openScreen } from '../../src/channel/terminal/screen/screen.ts'
import { type FakePort, fakePort, someStatus } from './terminal-port.ts'

/**
 * The chat screen with questions only: `run` asks about a call, `change` and `remember` about proposals that wait for
 * ever, `speak` is an answer of the model. `node test/stand-ins/terminal-question-demo.ts [--spoken]`.
 */
let last = 2
const open = new Map<number, NodeJS.Timeout | null>()

const port: FakePort = fakePort({
  past: [{ kind: 'notice', text: 'Type run, change, remember or speak.' }],
  onSubmit: async (text) => heard(text),
})

function heard(text: string): void {
  const number = Number(/^\/\w+ (\d+)/.exec(text)?.[1] ?? 0)
  if (number > 0) return answered(text, number)
  if (text === 'run') ask(runText(), ['Once', 'Always: git_log(src/*)', 'Deny'], 20_000)
  if (text === 'change') ask(changeText(), ['Approve', 'Deny'], null)
  if (text === 'remember') ask(rememberText(), ['Approve', 'Deny'], null)
  if (text === 'speak')
    tell({
      kind: 'entry',
      entry: { kind: 'answer', text: 'Which one, 1 or 2?', at: systemClock(), branch: 'main' },
    })
}

function answered(text: string, number: number): void {
  const isLate = !open.has(number)
  const said = isLate ? `Approval ${number} has expired.` : `Done: ${text}`
  tell({ kind: 'entry', entry: { kind: 'output', text: said, isError: isLate } })
  close(number, 'answered')
}

function ask(text: string, labels: readonly string[], lastsMs: number | null): void {
  const approval = ++last
  const until = lastsMs === null ? null : systemClock() + lastsMs
  open.set(approval, lastsMs === null ? null : setTimeout(() => close(approval, 'expired'), lastsMs))
  const commands = labels.length === 3 ? ['/approve', '/approve', '/deny'] : ['/approve', '/deny']
  const choices: Question['choices'] = labels.map((label, index) => ({
    label,
    command: `${commands[index] ?? ''} ${approval}${label.startsWith('Always') ? ' always' : ''}`,
  }))
  const [title = '', about = null] = text.split('\n').map((line) => line.trim())
  if (until !== null) tell({ kind: 'turn-started', at: systemClock() })
  const shown = text.slice(0, text.lastIndexOf('\n'))
  tell({ kind: 'entry', entry: { kind: 'question', text: shown } })
  const question = { approval, title, about, unshown: null, choices, until }
  tell({ kind: 'question-asked', question, where: 'in-front' })
  tellCount()
}

function close(approval: number, how: (ScreenHappening & { kind: 'question-closed' })['how']): void {
  const timer = open.get(approval)
  if (timer) clearTimeout(timer)
  open.delete(approval)
  tell({ kind: 'question-closed', approval, how })
  if (timer) tell({ kind: 'turn-ended' })
  tellCount()
}

function tellCount(): void {
  tell({ kind: 'status', status: { ...someStatus, approvals: open.size } })
}

function tell(happening: ScreenHappening): void {
  port.tell(happening)
}

function runText(): string {
  const number = last + 1
  return `May git_log run (skill git)? (approval ${number})
  src/context/list.ts since 2 weeks
/approve ${number} once, /approve ${number} always for git_log(src/*), /deny ${number}; without an answer it is refused in 20 s.`
}

function changeText(): string {
  const number = last + 1
  return `Change AGENTS.md? (approval ${number})
- You are a helpful assistant who answers in English.
+ You are a helpful assistant who answers in the language of the question, and shortly.
…
+ Ask before anything is deleted.
/approve ${number} writes it, /deny ${number} does not.`
}

function rememberText(): string {
  const number = last + 1
  return `Remember this? (approval ${number})
- My dentist is Dr. Abe.
+ My dentist is Dr. Ono.
/approve ${number} remembers it, /approve ${number} YOUR WORDS remembers those, /deny ${number} does not.`
}

const colour = wantsColour(process.stdout, process.env) ? 'colour' : 'plain'
const isSpoken = process.argv.includes('--spoken')
await openScreen(port, process, { colour, clock: systemClock, isSpoken }).finished
