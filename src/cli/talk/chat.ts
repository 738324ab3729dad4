import { createInterface } from 'node:readline'
import { systemClock } from '../../base/clock.ts'
import { preferProduction, wantsColour } from '../../base/environment.ts'
import { agentSettings } from '../../runtime/home/live-config.ts'
import { sayLeft } from './own-lines.ts'
import { sayRemindersLeft } from './jobs-left.ts'
import { untilEnded, type TalkCall } from './live.ts'
import { offerModel, type Question } from './model-offer.ts'
import { Seating } from './seating.ts'

/** The chat on a terminal. */
export async function chat(call: TalkCall): Promise<number> {
  const offer = await offerModel(call, (text) => question(call, text))
  if (offer === 'interrupted') return 130
  // What is typed while everything loads is for the input box, not for the terminal to echo.
  process.stdin.setRawMode(true)
  return untilEnded(call.input, async ({ signal, fail, onEnd }) => {
    const seating = new Seating({ ...call, fail, onWait: (why) => void call.err.now(`mainstem: ${why}`) })
    onEnd(() => seating.close())
    const seated = seating.keep()
    await Promise.race([seating.port.isOpen, seated])
    await Promise.race([showScreen(call, seating, signal), seated])
    const { life } = seating
    if (life === undefined) return 0
    await sayLeft(call.err, life.agent.busy.length)
    if (!signal.aborted) await sayRemindersLeft(life, { err: call.err, known: new Set() })
    return 0
  })
}

async function showScreen(call: TalkCall, { port, config }: Seating, signal: AbortSignal): Promise<void> {
  preferProduction()
  const { openScreen } = await import('../../channel/terminal/screen/screen.ts')
  const screen = openScreen(port, process, {
    colour: wantsColour(process.stdout, call.environment) ? 'colour' : 'plain',
    clock: systemClock,
    timeZone: agentSettings(config.values).zone,
    // The name that Ink and its other programs use.
    isSpoken: call.environment['INK_SCREEN_READER'] === 'true',
    notify: () => config.values.terminal.notify,
  })
  signal.addEventListener('abort', () => screen.close(), { once: true })
  await screen.finished
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
