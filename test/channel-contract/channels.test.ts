import type { Position } from '../../src/event/id.ts'
import { PageChannel, pageAddress } from '../../src/runtime/life/page-channel.ts'
import { ProgramChannel, programAddress } from '../../src/runtime/life/program-channel.ts'
import type { Life } from '../../src/runtime/life/life.ts'
import { Seats } from '../../src/runtime/terminal/seats.ts'
import { ChatApp } from '../stand-ins/chat-app.ts'
import { channelContract } from './contract.ts'

channelContract(
  'a small chat app',
  async () => {
    const app = new ChatApp()
    app.charsMax = 40
    return { channel: app.channel(), conversation: 'c1', shown: () => app.texts('c1') }
  },
  { splitsAt: 200 },
)

channelContract('the terminal', async () => {
  const shown: string[] = []
  const seats = new Seats((error) => {
    throw error
  })
  const log = { read: async () => undefined }
  seats.open({ log, agent: { deliver: () => undefined } } as unknown as Life)
  seats.take({
    kind: 'chat',
    show: async ({ text }) => void shown.push(text),
    notice: () => undefined,
    handOver: () => undefined,
    end: () => undefined,
    exit: () => undefined,
  })
  return { channel: seats.channel, conversation: 'local', shown: () => shown }
})

channelContract('programs over /v1', async () => {
  const shown: string[] = []
  const texts = new Map<number, string>()
  const source = { from: 'person', key: 'request' }
  const reader = {
    event: (at: number) =>
      texts.has(at) ? { kind: 'delivery-intended', cause: 0 } : { kind: 'inbound-admitted', source },
  }
  const log = { read: async (work: (reader: unknown) => unknown) => work(reader) }
  const programs = new ProgramChannel(log as never)
  const client = programs.wait('request')
  // A client takes its answers from the log: the channel only waits for it.
  const { channel } = programs
  const send: typeof channel.send = async (message, note) => {
    client.served()
    const sent = await channel.send(message, note)
    shown.push(message.text)
    return sent
  }
  return {
    channel: { ...channel, send },
    conversation: programAddress.conversation,
    shown: () => shown,
    intend: async (text) => {
      texts.set(texts.size + 1, text)
      return texts.size as Position
    },
  }
})

channelContract('the page', async () => {
  const shown: string[] = []
  const page = new PageChannel(() => undefined)
  page.open()
  const { channel } = page
  // A page takes what it shows from the log: the channel only says whether one is open.
  const send: typeof channel.send = async (message, note) => {
    const sent = await channel.send(message, note)
    shown.push(message.text)
    return sent
  }
  return { channel: { ...channel, send }, conversation: pageAddress.conversation, shown: () => shown }
})
