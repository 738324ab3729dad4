import { channelContract } from '../channel-contract/contract.ts'
import { telegramStage } from './stage.ts'

channelContract(
  'Telegram',
  async () => {
    const stage = await telegramStage()
    const anna = stage.telegram.person('Anna')
    anna.writes('hi')
    return {
      channel: stage.make(),
      conversation: `${anna.id}`,
      shown: () => anna.texts(),
      close: () => stage.close(),
    }
  },
  { splitsAt: 20_000 },
)
