import { createInterface } from 'node:readline'
import { missingModel } from '../../agent/state/home-model.ts'
import { systemClock } from '../../base/clock.ts'
import { preferProduction, wantsColour } from '../../base/environment.ts'
import { readConfig } from '../../config/config.ts'
import type { Key } from '../../config/table/settings.ts'
import type { Place } from '../../config/table/source.ts'
import { setInFile } from '../../config/write.ts'
import type { Reader } from '../../event/table.ts'
import { readOwner } from '../../owner/owner-file.ts'
import { foundModels, localServers } from '../../runtime/home/found-models.ts'
import { agentSettings } from '../../runtime/home/live-config.ts'
import { openLog, withLog } from '../frame/home.ts'
import { sayLeft } from './own-lines.ts'
import { sayRemindersLeft } from './jobs-left.ts'
import { untilEnded, type TalkCall } from './live.ts'
import { Seating } from './seating.ts'

/** The chat on a terminal. */
export async function chat(call: TalkCall): Promise<number> {
  const offer = await offerModel(call, (text) => question(call, text))
  if (offer === 'interrupted') return 130
  // What is typed while everything loads is for the input box, not for the terminal to echo.
  process.stdin.setRawMode(true)
  // It waits in the stream, where the screen tells it from keys that are pressed later.
  process.stdin.read(0)
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
    timeZone: agentSettings(config).zone,
    // The name that Ink and its other programs use.
    isSpoken: call.environment['INK_SCREEN_READER'] === 'true',
    notify: () => config.values.terminal.notify,
  })
  signal.addEventListener('abort', () => screen.close(), { once: true })
  await screen.finished
}

/** Asks for one line on the terminal; undefined when the input ended, `interrupted` on Ctrl-C. */
export type Question = (text: string) => Promise<{ readonly line: string | undefined } | 'interrupted'>

/**
 * Where no model is configured, offers one of each key and server that was found, and writes the choice to config.json,
 * also the choice to use none. Nothing is written when nothing was found, or nobody answered, or the home has a model.
 */
export async function offerModel(
  place: Place,
  ask: Question,
  servers = localServers,
): Promise<'done' | 'interrupted'> {
  const config = readConfig(place)
  if (config.values.model !== null || (await hasModel(place.home))) return 'done'
  const all = await foundModels(config, servers)
  const found = all.filter(({ from }, index) => all.findIndex((one) => one.from === from) === index)
  for (const { model, from, settings = {} } of found) {
    const answer = await ask(`Use ${model} from ${from}? [Y/n] `)
    if (answer === 'interrupted') return 'interrupted'
    if (answer.line === undefined) return 'done'
    if (/^\s*(?:y|yes)?\s*$/i.test(answer.line)) {
      for (const [key, value] of Object.entries({ ...settings, model })) setInFile(place, key as Key, value)
      return 'done'
    }
  }
  if (found.length > 0) setInFile(place, 'model', 'offline')
  return 'done'
}

/** Then "no" would make `offline` answer for that model, as soon as the process that knows it has ended (MODEL1). */
async function hasModel(home: string): Promise<boolean> {
  if (readOwner(home) !== undefined) return true
  return withLog(openLog(home, { glance: true }), (log) => log.read(isModelMissing))
}

function isModelMissing(reader: Reader): boolean {
  return missingModel(reader, { modelFrom: null }) !== undefined
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
