import { PassThrough } from 'node:stream'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'

export interface Streams {
  readonly input: PassThrough
  readonly output: PassThrough
}

export function newStreams(): Streams {
  return { input: new PassThrough(), output: new PassThrough() }
}

/** A client of the public package, connected to a server's input and output. */
export async function clientOf(streams: Streams, name = 'test'): Promise<Client> {
  const client = new Client({ name, version: '1' })
  await client.connect(transportOver(streams))
  return client
}

function transportOver({ input, output }: Streams): Transport {
  const buffer = new ReadBuffer()
  const transport: Transport = {
    start: async () => {
      output.on('data', (chunk: Buffer) => {
        buffer.append(chunk)
        for (let message = buffer.readMessage(); message !== null; message = buffer.readMessage())
          transport.onmessage?.(message)
      })
    },
    send: async (message) => void input.write(serializeMessage(message)),
    close: async () => {
      input.end()
      transport.onclose?.()
    },
  }
  return transport
}
