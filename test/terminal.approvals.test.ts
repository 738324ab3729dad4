import { expect, onTestFinished, test } from 'vitest'
import { proposing, type Propose } from '../src/agent/right/proposing.ts'
import { systemClock } from '../src/base/clock.ts'
import { openScreen } from '../src/channel/terminal/screen/screen.ts'
import { receive } from '../src/command/door/reception.ts'
import type { StepInput } from '../src/model/scripted.ts'
import { systemSleep } from '../src/model/contract/sleep.ts'
import type { Life } from '../src/runtime/life/life.ts'
import { ChatPort } from '../src/runtime/terminal/chat-port.ts'
import { ChatSeat } from '../src/runtime/terminal/chat-seat.ts'
import { Seats } from '../src/runtime/terminal/seats.ts'
import { builtIn, ok, type Tool } from '../src/tool/tool.ts'
import { countedTool, play, type CountedTool } from './agent/doubles.ts'
import { FakeClock } from './agent/stage.ts'
import { fakeTerminal, type FakeTerminal } from './stand-ins/terminal.ts'

class RealClock extends FakeClock {
  override readonly sleep = systemSleep
  override now(): number {
    return systemClock()
  }
}

interface Opened {
  readonly terminal: FakeTerminal
  readonly fetch: CountedTool
}

/** A real agent that has to ask, behind the real screen in a terminal without a window. */
async function open(steps: readonly StepInput[]): Promise<Opened> {
  const failures: unknown[] = []
  const fail = (error: unknown): void => void failures.push(error)
  const seats = new Seats(fail)
  const fetch = { ...countedTool('fetch'), nature: builtIn('reaches', { subjectOf: () => 'a.example' }) }
  const held: { propose?: Propose } = {}
  const at = await play(steps, {
    clock: new RealClock(0),
    settings: { permissions: 'default' },
    send: (...sending) => seats.channel.send(...sending),
    tools: [fetch, rememberTool(held)],
  })
  const { log, agent, desk } = at
  held.propose = proposing({ log, now: systemClock, deliver: () => agent.deliver() })
  agent.watch(seats.company.watch)
  const life = {
    log,
    agent,
    desk,
    receive: (inbound: Parameters<Life['receive']>[0]) => receive(desk, inbound),
  }
  seats.open(life as unknown as Life)
  const port = new ChatPort({ files: () => [], installed: async () => [] })
  const leaving = new AbortController()
  const sitting = port.sit(
    ({ seen, tell }) => new ChatSeat({ life: life as unknown as Life, seats, seen, tell, fail }),
    leaving.signal,
  )
  await port.isOpen
  const terminal = fakeTerminal({ columns: 80, rows: 40 })
  const screen = openScreen(port, terminal, { colour: 'plain', clock: systemClock, timeZone: 'UTC' })
  onTestFinished(async () => {
    screen.close()
    await screen.finished
    leaving.abort()
    await sitting
    await at.close()
    expect(failures).toEqual([])
  })
  await terminal.until((text) => text.includes('╰─'))
  return { terminal, fetch }
}

function rememberTool(held: { propose?: Propose }): Tool {
  return {
    spec: { name: 'remember', description: 'Remembers', parameters: { type: 'object' } },
    nature: builtIn('steers'),
    run: async (_, call) => {
      const number = await held.propose?.(call, {
        kind: 'memory',
        line: 'Ono is the dentist.',
        replaces: null,
      })
      return ok(`approval ${number ?? '?'} waits`)
    },
  }
}

const fetching: readonly StepInput[] = [
  { calls: [{ tool: 'fetch', args: {} }] },
  { reply: { text: 'That is all.' } },
]

test('a call waits for the person, who presses 1 and Enter, and runs', async () => {
  const { terminal, fetch } = await open(fetching)
  terminal.type('go\r')
  await terminal.until(
    (text) => text.includes('1 2 3 or y a n then Enter to answer') && text.includes('1 approval'),
  )
  expect(terminal.rows().join('\n')).toMatch(
    /\? Allow `fetch` for a\.example\? \(approval 1\) · \d+ min left\n/,
  )
  expect(fetch.runs).toHaveLength(0)
  expect(terminal.text(), 'the keys say it').not.toContain('/approve 1')
  terminal.type('1\r')
  await terminal.until((text) => text.includes('That is all.') && !text.includes('approval 1) ·'))
  expect(terminal.text()).toContain('› /approve 1\n\nAllowed this once: fetch.')
  expect(fetch.runs).toHaveLength(1)
  await terminal.until((text) => !text.includes('1 approval'))
})

test('a turn that is stopped takes its question along, and says so', async () => {
  const { terminal, fetch } = await open(fetching)
  terminal.type('go\r')
  await terminal.until((text) => text.includes('1 2 3 or y a n then Enter to answer'))
  terminal.type('\u0003')
  await terminal.until((text) => text.includes('– Approval 1 was cancelled because its turn ended.'))
  expect(terminal.rows().join('\n')).not.toContain('1 Once')
  expect(fetch.runs).toHaveLength(0)
})

test('a proposal gives way to the answer behind it, and Tab turns to it', async () => {
  const { terminal } = await open([
    { calls: [{ tool: 'remember', args: {} }] },
    { reply: { text: 'Which one, 1 or 2?' } },
  ])
  terminal.type('go\r')
  await terminal.until((text) => text.includes('1 or 2?') && text.includes('Tab to answer'))
  expect(terminal.text()).toContain('? Remember this? (approval 1)\n  + Ono is the dentist.\n')
  terminal.type('\t')
  await terminal.until((text) => text.includes('1 2 then Enter to answer · Esc for later'))
  terminal.type('2\r')
  await terminal.until(
    (text) => text.includes('Denied: nothing is remembered.') && !text.includes('1 approval'),
  )
})
