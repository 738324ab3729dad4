import { createInterface } from 'node:readline'
import { systemClock } from '../../base/clock.ts'
import { preferProduction, wantsColour } from '../../base/environment.ts'
import { Terminal } from '../../runtime/terminal/port.ts'
import { sayLeft } from './batch.ts'
import { sayRemindersLeft } from './jobs-left.ts'
import { live, type TalkCall } from './live.ts'
import { offerModel, type Question } from './model-offer.ts'
import { startNotices } from './start-notices.ts'
import { ollamaFound } from '../frame/found-models.ts'

/** The chat on a terminal. */
export async function chat(call: TalkCall): Promise<number> {
  const { home } = call
  const offer = await offerModel(call, (text) => question(call, text))
  if (offer === 'interrupted') return 130
  // What is typed while everything loads is for the input box, not for the terminal to echo.
  process.stdin.setRawMode(true)
  let terminal: Terminal | undefined
  let failed: (error: unknown) => void
  return live(
    call,
    (fail) => {
      failed = fail
      return { command: 'mainstem chat', schedules: true, close: () => terminal?.close() }
    },
    async ({ life, seats }, signal) => {
      terminal = new Terminal(seats, failed)
      const notices = startNotices(life, { home, way: 'chat' })
      const port = await terminal.open(life, notices, () => ollamaFound(life.config.values.urls.ollama))
      preferProduction()
      const { openScreen } = await import('../../channel/terminal/screen/screen.ts')
      const screen = openScreen(port, process, {
        colour: wantsColour(process.stdout, call.environment) ? 'colour' : 'plain',
        clock: systemClock,
        timeZone: life.desk.settings().zone,
        // The name that Ink and its other programs use.
        isSpoken: call.environment['INK_SCREEN_READER'] === 'true',
        notify: () => life.config.values.terminal.notify,
      })
      signal.addEventListener('abort', () => screen.close(), { once: true })
      await screen.finished
      await sayLeft(call.err, life.agent.busy.length)
      if (!signal.aborted) await sayRemindersLeft(life, { err: call.err, known: new Set() })
      return 0
    },
  )
}

function question({ input, out }: TalkCall, text: string): ReturnType<Question> {
  return new Promise((resolve) => {
    const reader = createInterface({ input, output: out.stream })
    const answer = (given: Awaited<ReturnType<Question>>): void => {
      resolve(given)
      reader.close()
    }
    reader.on('SIGINT', () => answer('interrupted'))
    reader.on('close', () => resolve({ line: undefined }))
    reader.question(out.shown(text), (line) => answer({ line }))
  })
}
