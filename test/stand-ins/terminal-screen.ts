import { expect, onTestFinished } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { openScreen } from '../../src/channel/terminal/screen/screen.ts'
import { type FakePort, type FakePortOptions, fakePort } from './terminal-port.ts'
import { type FakeTerminal, fakeTerminal } from './terminal.ts'

export interface Opened {
  readonly port: FakePort
  readonly terminal: FakeTerminal
  readonly screen: ReturnType<typeof openScreen>
}

interface OpenOptions extends FakePortOptions {
  readonly colour?: 'colour' | 'plain'
  readonly columns?: number
  readonly rows?: number
  readonly isSpoken?: boolean
  readonly notify?: 'off' | 'bell' | 'all'
}

/** The real screen in a terminal without a window, ready for keys. */
export async function open(options: OpenOptions = {}): Promise<Opened> {
  const { columns = 80, rows = 24, isSpoken = false, colour = 'colour', notify, ...portOptions } = options
  const terminal = fakeTerminal({ columns, rows })
  const port = fakePort(portOptions)
  const screen = openScreen(port, terminal, {
    colour,
    clock: systemClock,
    timeZone: 'UTC',
    isSpoken,
    ...(notify && { notify: () => notify }),
  })
  onTestFinished(async () => {
    screen.close()
    await screen.finished
    expect(terminal.surprises()).toEqual([])
  })
  await terminal.until((text) => text.includes('3.2k'), 'the status')
  return { port, terminal, screen }
}
