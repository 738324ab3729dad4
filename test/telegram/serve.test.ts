import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openForReading } from '../../src/runtime/home/open-log.ts'
import { collect, run, start, tempFolder } from '../cli/run.ts'
import { startModelServer } from '../stand-ins/model-server.ts'
import { startTelegram, type TelegramStandIn } from '../stand-ins/telegram/server.ts'

async function telegramHome(more: object = {}): Promise<{ telegram: TelegramStandIn; home: string }> {
  const telegram = await startTelegram()
  onTestFinished(() => telegram.close())
  const home = join(tempFolder(), 'home')
  mkdirSync(home, { mode: 0o700 })
  const config = { telegram: { token: telegram.token, url: telegram.url }, ...more }
  writeFileSync(join(home, 'config.json'), JSON.stringify(config))
  return { telegram, home }
}

interface Serving {
  readonly printed: (text: RegExp) => Promise<void>
  readonly stop: (signal?: NodeJS.Signals) => Promise<string>
}

/** Serves until the test ends or it is stopped. */
function serve(home: string): Serving {
  const child = start(['serve', '--port', '0'], { home })
  const closed = once(child, 'close')
  onTestFinished(() => void child.kill('SIGKILL'))
  const [out, err] = [collect(child.stdout), collect(child.stderr)]
  return {
    printed: async (text) => {
      await expect.poll(() => out() + err()).toMatch(text)
    },
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal)
      await closed
      return out() + err()
    },
  }
}

test('serve is on Telegram when it has a token, and says so; status and doctor know it', async () => {
  const { telegram, home } = await telegramHome()
  const served = serve(home)
  await served.printed(/ Telegram: @mainstem_bot$/m)
  expect((await run(['status'], { home })).out).toMatch(/^App {4}Telegram: @mainstem_bot$/m)
  expect(telegram.world.commands.map(({ command }) => command)).toContain('help')
  telegram.world.webhook = 'https://other.example/hook'
  // Otherwise the poll that waits would go on for most of a minute.
  telegram.world.wake()
  await served.printed(/ Telegram: Another program has set a webhook/)
  const { out } = await run(['status'], { home })
  expect(out).toMatch(/^Note {3}Telegram: Another program has set a webhook for this bot.* Next try: /m)
  expect(await served.stop()).not.toContain(telegram.token)
  expect(telegram.count('getUpdates')).toBeGreaterThan(0)
})

test('doctor says whether the bot can work', async () => {
  const { telegram, home } = await telegramHome()
  await run(['-p', 'hello'], { home })
  const doctor = async (): Promise<string> => (await run(['doctor'], { home })).out
  expect(await doctor()).toMatch(/^ok +telegram +the bot is @mainstem_bot$/m)
  telegram.world.bot.can_read_all_group_messages = false
  expect(await doctor()).toMatch(/^ok +telegram +the bot is @mainstem_bot\n +privacy mode is on: /m)
  telegram.world.webhook = 'https://other.example/hook/secret'
  expect(await doctor()).toMatch(
    /^problem +telegram .*\n +its messages go to a webhook .*, at other\.example$/m,
  )
  telegram.isDown = true
  expect(await doctor()).toMatch(/^skipped +telegram +Could not reach Telegram/m)
  telegram.isDown = false
  writeFileSync(join(home, 'config.json'), JSON.stringify({ telegram: { token: '1:x', url: telegram.url } }))
  expect(await doctor()).toMatch(/^problem +telegram +Telegram does not accept the token\./m)
})

test('[SAFE1] [RECV1] a thousand messages of strangers, one that comes five times and one id in two chats, with a kill between', async () => {
  const model = await startModelServer()
  onTestFinished(() => model.close())
  const { telegram, home } = await telegramHome({
    model: 'openai-compatible/stand-in',
    openaiCompatible: { url: `${model.url}/v1` },
  })
  const [anna, club, work] = [telegram.person('Anna'), telegram.group('Club'), telegram.group('Work')]
  const strangers = Array.from({ length: 100 }, (_, index) => telegram.person(`Stranger ${index}`))
  const flood = (): void => {
    for (let round = 0; round < 5; round++)
      for (const stranger of strangers) stranger.sends({ voice: { bytes: Buffer.from('OggS') } })
  }
  const isTaken = async (): Promise<void> => {
    await expect.poll(() => telegram.world.updates).toEqual([])
  }
  await run(['config', 'set', 'links', `telegram:${anna.id}`], { home })
  const first = serve(home)
  const said = anna.writes('hello')
  for (let time = 1; time < 3; time++) anna.repeats(said)
  flood()
  await isTaken()
  await expect.poll(() => anna.texts()).toContain('ok')
  await first.stop('SIGKILL')
  for (let time = 3; time < 5; time++) anna.repeats(said)
  const [one, other] = [anna.writes('@mainstem_bot hello', club), anna.writes('@mainstem_bot hello', work)]
  expect(one.message_id).toBe(other.message_id)
  flood()
  const second = serve(home)
  await isTaken()
  await expect.poll(() => [club.texts(), work.texts()]).toEqual([['ok'], ['ok']])
  await second.stop()
  expect(model.requests).toHaveLength(3)
  expect([telegram.count('getFile'), telegram.count('file')]).toEqual([0, 0])
  const told = strangers.flatMap((stranger) => stranger.texts())
  expect(told.length).toBeLessThanOrEqual(10)
  const log = openForReading(home)
  onTestFinished(() => log.close())
  const events = await Array.fromAsync(log.events())
  expect(events.filter(({ kind }) => kind === 'turn-ended')).toHaveLength(3)
  // Ten hints, three questions to the owner, and a count.
  const about = events.filter((event) => JSON.stringify(event).includes('Stranger'))
  expect(about.length).toBeLessThanOrEqual(14)
})
