import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from '../../base/assert.ts'
import { systemClock } from '../../base/clock.ts'
import { systemRandom } from '../../base/random.ts'
import { counted, sentence } from '../../base/words.ts'
import type { Channel } from '../../channel/channel.ts'
import { ConfigError, readConfig } from '../../config/config.ts'
import { homeProblem } from '../../config/own-home.ts'
import type { Config, Key } from '../../config/table/settings.ts'
import type { Place } from '../../config/table/source.ts'
import { fileStore } from '../../file/file-store.ts'
import { LogError } from '../../log/log.ts'
import { systemSleep } from '../../model/contract/sleep.ts'
import { lastAlive } from '../../owner/alive.ts'
import { agentSettings } from '../../runtime/home/live-config.ts'
import type { Life } from '../../runtime/life/life.ts'
import { retryTeller } from '../../runtime/terminal/conversation.ts'
import { awayText } from './away.ts'
import { jobsView } from '../../view/jobs.ts'
import { jobsLine } from '../../view/jobs-text.ts'
import { CommandError, UsageError, type Command, type CommandCall } from '../frame/command.ts'
import { flagsOf } from '../frame/command-line.ts'
import { openLog, openShelf, settingsOf, withLog } from '../frame/home.ts'
import type { Output } from '../frame/output.ts'
import { join } from './join.ts'
import { untilEnded, type Ending } from './live.ts'
import { openOwnLife, type OwnLife } from './own-life.ts'
import { channelTeller, jsonTeller, showStatus, tellUnasked, textTeller, type Teller } from './serve-lines.ts'
import { startNotices } from './start-notices.ts'
import { checkFlag } from './talk.ts'

export const serveCommand: Command = {
  name: 'serve',
  summary: 'stay on: run jobs, listen for chats, programs and pages',
  usage: '[--port N] [--host ADDRESS] [--model NAME] [--set KEY=VALUE] [--log-format FORMAT]',
  details: `Runs jobs when they are due, finishes work that was left, and listens on a socket in the home and on
http://127.0.0.1:7420. Chats, mainstem -p and pipes on this machine attach to it by themselves, and a
chat that is open hands over to it. Runs until Ctrl-C or SIGTERM: turns that run get 10 seconds to
finish, and what is left continues at the next start. A second Ctrl-C ends it at once.
'mainstem service install' has the system run it; 'mainstem open' prints a link for a browser.

  --port N              the port (7420)
  --host ADDRESS        the address to listen on (127.0.0.1)
  --model NAME          the model for this time
  --set KEY=VALUE       a setting for this time; can be repeated
  --log-format FORMAT   text, or json for one JSON object per line

Exit codes: 1 failed, 3 another 'mainstem serve' has this home, 78 the configuration has to be fixed
first, 130 and 143 stopped by a signal.`,
  run: runServe,
}

/** No supervisor starts it again after this code: `EX_CONFIG` of sysexits.h. */
const CONFIGURATION_WRONG = 78

async function runServe(call: CommandCall): Promise<number> {
  const format = call.text('log-format') ?? 'text'
  if (format !== 'text' && format !== 'json')
    throw new UsageError(`--log-format is text or json, not '${format}'`)
  const flags = await flagsFor(call)
  try {
    const problem = homeProblem(call.home)
    if (problem !== undefined) throw new CommandError(problem)
    const place = { home: call.home, environment: call.environment, flags }
    return await untilEnded(call.input, (ending) => serve({ out: call.out, place, format }, ending))
  } catch (error) {
    if (!isConfiguration(error)) throw error
    await call.err.now(`mainstem: ${sentence(error.message)}`)
    return CONFIGURATION_WRONG
  }
}

async function flagsFor(call: CommandCall): Promise<Record<string, string>> {
  const own = (['port', 'host', 'model'] as const).flatMap((key): [Key, string][] => {
    const text = call.text(key)
    return text === undefined ? [] : [[key, text]]
  })
  for (const [key, text] of own) await checkFlag(key, text)
  const { model, ...rest } = Object.fromEntries(own)
  return { ...flagsOf({ set: call.texts('set'), ...(model !== undefined && { model }) }), ...rest }
}

/** Something that trying again does not mend. */
function isConfiguration(error: unknown): error is Error {
  if (error instanceof LogError) return error.code === 'newer' || error.code === 'damaged'
  return error instanceof ConfigError || error instanceof CommandError
}

async function serve(
  { out, place, format }: { out: Output; place: Required<Place>; format: 'text' | 'json' },
  { signal, fail, onEnd }: Ending,
): Promise<number> {
  // Before a chat is asked to hand over: the configuration may be wrong.
  const config = readConfig(place)
  const { values } = config
  const away = await awayLine(place)
  const log = format === 'json' ? await jsonTeller(out, values, place) : undefined
  const teller = log ?? textTeller(out, agentSettings(config).zone)
  const command = 'mainstem serve'
  const warn = (text: string): void => teller.warn(text)
  const joined = await join({
    home: place.home,
    beside: 'take-over',
    signal,
    onWait: (why) => teller.info(why),
    open: async () => {
      const channels = await chatApps(values, place.home, fail)
      const onState = channelTeller(teller)
      return openOwnLife({ ...place, command, channels, onState, schedules: true, fail, warn })
    },
  })
  assert(joined.kind === 'opened', 'serve attaches to nobody')
  const own = joined.opened
  own.life.agent.watch(retryTeller(warn))
  onEnd(() => own.close())
  onEnd(() => finishTurns(own, teller, signal))
  const { host, port } = values
  const listening = await own.listen({ rank: 'serve', network: { host, port }, ...(log && { log }) })
  const url = urlOf(host, listening.port ?? port)
  for (const notice of await startNotices(own.life, { home: place.home, way: 'serve' })) teller.info(notice)
  if (away !== undefined) {
    teller.info(away)
    own.seats.notice(away)
  }
  // Not where the output is kept: the link lets somebody in.
  if (out.isTerminal && format === 'text') {
    await out.now(`Sign in with a browser, once, within 10 minutes: ${listening.newLink().url}`)
    const hide = showStatus(own, out, url)
    onEnd(async () => hide())
  } else teller.info(`Ready at ${url}, ${await jobsNow(own.life)} (process ${process.pid})`)
  await Promise.all([tellUnasked(own.life, teller, signal), untilAborted(signal)])
  return 0
}

/** The apps in which people talk with this home. Each is loaded only if it is set up. */
async function chatApps(
  values: Config,
  home: string,
  fail: (error: unknown) => void,
): Promise<readonly Channel[]> {
  const { token, url } = values.telegram
  if (token === null) return []
  const { Telegram } = await import('../../channel/telegram/telegram.ts')
  const settings = {
    tries: values.maxReconnect,
    baseMs: values.reconnectBaseDelay,
    maxMs: values.reconnectMaxDelay,
    jitterMs: values.reconnectJitter,
  }
  const world = { now: systemClock, random: systemRandom, sleep: systemSleep }
  const store = fileStore(home)
  const readFile = (hash: string) => store.read(hash)
  return [new Telegram({ token, url, settings, ...world, readFile, fail })]
}

async function jobsNow({ desk, log }: Life): Promise<string> {
  const when = { now: desk.now(), zone: desk.settings().zone }
  const view = await log.read((reader) => jobsView(reader, { shelf: desk.shelf, when }))
  return jobsLine(view, when) ?? 'no jobs yet'
}

const GRACE_MS = 10_000

/** Only if a signal ended it: after a failure nothing could be finished. */
async function finishTurns({ life }: OwnLife, teller: Teller, { reason }: AbortSignal): Promise<void> {
  if (typeof reason !== 'string') return
  const { length } = life.agent.busy
  if (length > 0)
    teller.info(
      `Stopping when ${counted(length, 'turn')} ${length === 1 ? 'has' : 'have'} finished, at the latest in 10 s.`,
    )
  await life.agent.finish(AbortSignal.timeout(GRACE_MS))
}

/** An address that a browser on this machine can open. */
function urlOf(host: string, port: number): string {
  const isAny = host === '0.0.0.0' || host === '::'
  return `http://${isAny ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`
}

const LONG_MS = 2 ** 30

/** The timer keeps the process alive: nothing else may. */
async function untilAborted(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await sleep(LONG_MS, undefined, { signal }).catch(() => undefined)
}

/** For a start after a while. Undefined: it was not long. */
async function awayLine({ home, environment, flags }: Required<Place>): Promise<string | undefined> {
  const settings = settingsOf({ home, environment, flags })
  const look = { settings, now: systemClock(), seenAt: lastAlive(home) }
  const shelf = await openShelf({ home, environment })
  return withLog(openLog(home), (log) =>
    log.read((reader) => awayText(reader, { ...look, jobs: shelf.jobs() })),
  )
}
