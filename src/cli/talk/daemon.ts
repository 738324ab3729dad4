import { jsonText } from '../frame/output.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { isoIn } from '../../base/time-text.ts'
import { systemClock } from '../../base/clock.ts'
import { sentence } from '../../base/words.ts'
import { jobsView } from '../../view/jobs.ts'
import { jobsLine, nameIn } from '../../view/jobs-text.ts'
import { jobKinds } from '../../event/job.ts'
import { LogError } from '../../log/log.ts'
import type { Life } from '../../runtime/life/life.ts'
import type { Command, CommandCall } from '../frame/command.ts'
import { flagsOf } from '../frame/command-line.ts'
import { inConversation } from './batch.ts'
import type { Said } from '../../runtime/terminal/conversation.ts'
import { eventJson, shownText, type Printer } from './printer.ts'
import { checkFlag } from './talk.ts'

export const daemonCommand: Command = {
  name: 'daemon',
  summary: 'run jobs when they are due, without a chat',
  usage: '[--model NAME] [--set KEY=VALUE] [--json]',
  details: `Runs routines and reminders when they are due, and finishes work that was left. Prints messages with
the time. Runs until Ctrl-C or SIGTERM; unfinished work continues at the next start. An open chat
starts jobs too, and only one of the two can run: stop the daemon to chat.
Meanwhile, in another terminal:

  mainstem reminder add TEXT --at WHEN    sets a reminder; so do routine and webhook
  mainstem routine list                   lists the routines
  mainstem routine run|pause|resume ID    is done by the daemon

  --model NAME      the model for this time
  --set KEY=VALUE   a setting for this time; can be repeated
  --json            one JSON object a line: {"ready": …}, then {"at": …, "event": …}

Exit codes: 1 failed, 3 the log is in use by another process, 130 and 143 stopped by a signal.`,
  options: { model: 'text', set: 'texts', json: 'flag' },
  run: runDaemon,
}

/** Runs without input until a signal comes. */
async function runDaemon(call: CommandCall): Promise<number> {
  const model = call.text('model')
  if (model !== undefined) await checkFlag('model', model)
  const flags = flagsOf({ set: call.texts('set'), ...(model !== undefined && { model }) })
  let life: Life | undefined
  // Nothing is sent before the life is there.
  const printer = printerFor(call, () => life?.desk.settings().zone ?? 'UTC')
  const how = { command: 'mainstem daemon', schedules: true, printer, serversMs: 0 }
  return inConversation({ ...call, flags }, how, async (conversation, opened, signal) => {
    life = opened
    await sayReady(call, life)
    await Promise.all([conversation.catchUp(signal), untilAborted(signal)])
    return 0
  }).catch((error: unknown) => {
    throw withWayIn(error)
  })
}

const LONG_MS = 2 ** 30

/** The timer keeps the process alive: nothing else may. */
async function untilAborted(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await sleep(LONG_MS, undefined, { signal }).catch(() => undefined)
}

/** Prints every message with its time. */
function printerFor(call: CommandCall, zone: () => string): Printer {
  const { out, err } = call
  const print = async (said: Said): Promise<void> => {
    const at = isoIn(systemClock(), zone())
    const time = at.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length).replace('T', ' ')
    const json = call.isSet('json')
    await out.now(json ? jsonText({ at, event: eventJson(said) }) : `${time} ${shownText(said)}`)
  }
  return {
    said: print,
    outcome: async () => undefined,
    refused: async (_, because) => void err.line(because),
  }
}

async function sayReady(call: CommandCall, { desk, log }: Life): Promise<void> {
  const { shelf } = desk
  const when = { now: desk.now(), zone: desk.settings().zone }
  const view = await log.read((reader) => jobsView(reader, { shelf, when }))
  if (call.isSet('json')) {
    const [routines, reminders, webhooks] = jobKinds.map(
      (kind) => shelf.jobs().filter(({ definition }) => definition.kind === kind).length,
    )
    const next = view.jobs.find(({ next: at, paused }) => at !== null && Date.parse(at) > when.now && !paused)
    const job = next === undefined ? null : { ...nameIn(next), at: next.next }
    await call.out.now(jsonText({ ready: { routines, reminders, webhooks, next: job } }))
  } else {
    const line = `mainstem daemon: ready, ${jobsLine(view, when) ?? 'no jobs yet'}. Ctrl-C or SIGTERM (process ${process.pid}) stops it.`
    await call.out.now(line)
  }
}

/** The process that holds the log may start jobs already. */
function withWayIn(error: unknown): unknown {
  if (!(error instanceof LogError) || error.code !== 'in-use') return error
  const other = `A chat starts jobs as a daemon does; 'mainstem routine', 'mainstem reminder' and 'mainstem webhook' work beside both`
  return new LogError('in-use', `${sentence(error.message)} ${other}`, error)
}
