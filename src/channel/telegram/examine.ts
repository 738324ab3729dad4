import { ChannelError } from '../channel.ts'
import { asChannelErrors, openApi, type TelegramServer } from './client.ts'

/** How a bot is set up. `skipped`: Telegram cannot be reached, so nobody knows. */
export async function examineTelegram(
  server: TelegramServer,
): Promise<{ readonly verdict: 'ok' | 'problem' | 'skipped'; readonly lines: readonly string[] }> {
  const api = openApi(server)
  try {
    const [bot, webhook] = await asChannelErrors(() => Promise.all([api.getMe(), api.getWebhookInfo()]))
    const name = `the bot is @${bot.username}`
    if (webhook.url)
      return { verdict: 'problem', lines: [name, `${WEBHOOK} ${URL.parse(webhook.url)?.host ?? ''}`] }
    return { verdict: 'ok', lines: [name, ...(bot.can_read_all_group_messages ? [] : PRIVACY)] }
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error
    return { verdict: error.retryAfterMs === undefined ? 'skipped' : 'problem', lines: [error.message] }
  }
}

const WEBHOOK = 'its messages go to a webhook of another program, at'
const PRIVACY = [
  'privacy mode is on: in groups it sees only commands and replies to it. To let it see mentions, send',
  '/setprivacy to @BotFather, choose Disable, and add the bot to the group again',
]
