import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { collect, run, start, tempFolder } from '../cli/run.ts'
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

/** Serves until the test ends or it is stopped. */
function serve(home: string): { printed: (text: RegExp) => Promise<void>; stop: () => Promise<string> } {
  const child = start(['serve', '--port', '0'], { home })
  const closed = once(child, 'close')
  onTestFinished(() => void child.kill('SIGKILL'))
  const [out, err] = [collect(child.stdout), collect(child.stderr)]
  return {
    printed: async (text) => {
      await expect.poll(() => out() + err()).toMatch(text)
    },
    stop: async () => {
      child.kill('SIGTERM')
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
