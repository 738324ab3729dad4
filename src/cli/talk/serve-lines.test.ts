import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../../test/cli/run.ts'
import { ChannelError } from '../../channel/channel.ts'
import { Output } from '../frame/output.ts'
import { openOwnLife } from './own-life.ts'
import { showStatus } from './serve-lines.ts'

/** The text of a terminal that only knows how to empty a line. */
function fakeTerminal(columns: number) {
  let written = ''
  const stream = new Writable({ write: (chunk: Buffer, _, done) => done(void (written += chunk.toString())) })
  const lines = (): string[] => written.split('\n').map((line) => line.split('\r\u001B[K').at(-1) ?? '')
  return { out: new Output(Object.assign(stream, { isTTY: true, columns })), lines }
}

function fail(error: unknown): never {
  throw error
}

test('a line on the terminal says how serve is, stays below what is printed, and goes at the end', async () => {
  const home = tempFolder()
  const routines = join(home, 'workspace', 'routines')
  mkdirSync(routines, { recursive: true })
  writeFileSync(join(routines, 'brief.md'), '---\ncron: 0 9 * * *\n---\nBrief me.\n')
  const own = await openOwnLife({ home, command: 'test', environment: { MAINSTEM_TIMEZONE: 'UTC' }, fail })
  onTestFinished(() => own.close())
  const { out, lines } = fakeTerminal(80)
  const hide = showStatus(own, out, 'http://127.0.0.1:7420')
  await expect
    .poll(lines)
    .toEqual([expect.stringMatching(/^● ready · http:\/\/127.0.0.1:7420 · next: brief /)])
  const seat = own.seats.take({
    kind: 'chat',
    show: () => Promise.reject(new ChannelError('gone', { isFinal: false })),
    exit: () => undefined,
    notice: () => undefined,
    handOver: () => undefined,
    end: () => undefined,
  })
  await expect.poll(lines).toEqual([expect.stringContaining(' · 1 chat · next: brief ')])
  await out.now('A line.')
  expect(lines()).toEqual(['A line.', expect.stringMatching(/^● ready/)])
  seat.leave()
  hide()
  await out.now('The end.')
  expect(lines()).toEqual(['A line.', 'The end.', ''])
})

test('it fits into a narrow terminal', () => {
  const { out, lines } = fakeTerminal(20)
  out.bottom('● ready · http://127.0.0.1:7420')
  expect(lines()).toEqual(['● ready · http://1…'])
})
