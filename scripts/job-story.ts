import { pingUserTool } from '../src/agent/tools/ping.ts'
import { reportUpdatesTool } from '../src/agent/tools/report-updates.ts'
import { ChannelError } from '../src/channel/channel.ts'
import type { Prompt } from '../src/event/prompt.ts'
import type { Log } from '../src/log/log.ts'
import type { Said } from '../test/agent/doubles.ts'
import { DAY, file, HOUR, jobStage, MINUTE, ring, type JobStage } from '../test/agent/job-rig.ts'
import { lastText } from '../test/agent/rig.ts'
import { FakeClock, START } from '../test/agent/stage.ts'

/** Ten days later: jobs that fire, are missed, paused, broken and mended; pings that fail and are answered. */
export async function tellJobStory(log: Log): Promise<void> {
  let refusals = 1
  const at = await jobStage({
    log,
    clock: new FakeClock(START + 10 * DAY),
    tools: [reportUpdatesTool, pingUserTool],
    rule: answerTo,
    send: async ({ id, form }) => {
      if (form === 'ping' && refusals-- > 0) throw new ChannelError('nobody is there', { isFinal: true })
      return `shown-${id}`
    },
  })
  await tellOfFiles(at)
  await tellOfPings(at)
  await tellOfPauses(at)
  await tellOfCalls(at)
  await at.close()
}

/** A file that is wrong and is mended, a reminder in main, a routine with a session of its own. */
async function tellOfFiles(at: JobStage): Promise<void> {
  await at.put('routines/odd.md', file({ cron: 'now and then' }, 'Look.'))
  await at.pass(5 * MINUTE)
  await at.put('routines/odd.md', file({ cron: '0 3 1 1 *' }, 'Look.'))
  await at.put('reminders/boat.md', file({ 'run-at': '2026-03-11T10:00' }, 'Book the boat.'))
  await at.put(
    'routines/diary.md',
    file(
      { cron: '0 10,11 * * *', background: true, session: 'persistent', 'allow-ping': false },
      'Keep a diary.',
    ),
  )
  await at.pass(2 * HOUR)
}

/** One that nobody gets, one that is done with, one under another budget. */
async function tellOfPings(at: JobStage): Promise<void> {
  await at.put(
    'routines/watch.md',
    file({ cron: '30 11,12,13 * * *', background: true }, 'Watch the harbour.'),
  )
  await at.pass(2 * HOUR)
  await at.say('/done 4')
  at.settings = { ...at.settings, pings: { ...at.settings.pings, capacity: 4 }, digestAt: 18 * 60 }
  await at.pass(HOUR)
}

async function tellOfPauses(at: JobStage): Promise<void> {
  await at.say('/pause routine diary')
  await at.say('/pause all 2h')
  await at.pass(3 * HOUR)
  await at.put('routines/report.md', file(REPORT, 'Report the weather.'))
  await at.pass(8 * HOUR)
  await at.put('routines/late.md', file({ cron: '0 4 * * *', 'catch-up': 'skip' }, 'Too late.'))
  await at.say('/pause routine late 12h')
  await at.pass(14 * HOUR)
}

/** A webhook that is called three times at once, twice with one key. */
async function tellOfCalls(at: JobStage): Promise<void> {
  await at.put('webhooks/bell.md', file({ 'update-main-session': 'blocked' }, 'Somebody rings.'))
  for (const key of ['webhook-id msg_1', 'webhook-id msg_1', null]) await ring(at, { key })
  await at.pass(MINUTE)
}

const REPORT = { cron: '15 17 * * *', background: true, isolated: true, 'update-main-session': 'always' }

function answerTo(prompt: Prompt): Said {
  const asked = prompt.messages.findLast(({ role }) => role === 'user')?.text ?? ''
  const isFirst = prompt.messages.at(-1)?.role === 'user'
  if (isFirst && asked.includes('Watch the harbour.'))
    return { calls: [{ id: 'p', tool: 'ping_user', args: { message: 'A ship came in.' } }] }
  if (isFirst && asked.includes('Report the weather.'))
    return { calls: [{ id: 'r', tool: 'report_updates', args: { message: 'It rains.' } }] }
  return { text: `Done: ${lastText(prompt).slice(0, 40)}` }
}
