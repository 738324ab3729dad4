import { once } from 'node:events'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { StartedProgram } from '../tool/process/start-program.ts'
import type { ClientSdk } from './sdk.ts'

const GOODBYE_MS = 2_000

/**
 * Speaks with a server in a box over its standard input and output. The package's own transport gives a program no more
 * than these, but the box must tell which process its first one is.
 */
export function boxedTransport(
  { ReadBuffer, serializeMessage }: ClientSdk,
  {
    start,
    stop,
    onStderr,
  }: {
    readonly start: () => StartedProgram
    readonly stop: () => void
    readonly onStderr: (chunk: Buffer) => void
  },
): Transport {
  const buffer = new ReadBuffer()
  let program: StartedProgram | undefined
  let isOpen = false
  const transport: Transport = {
    start: () => {
      const started = start()
      const { child, killBox } = started
      program = started
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      child.once('spawn', () => {
        isOpen = true
        resolve()
      })
      child.on('error', (error) => {
        reject(error)
        transport.onerror?.(error)
      })
      child.once('exit', killBox)
      child.once('close', () => {
        isOpen = false
        transport.onclose?.()
      })
      child.stdin?.on('error', (error) => transport.onerror?.(error))
      child.stdout?.on('data', (chunk: Buffer) => read(chunk, buffer, transport))
      // Always read: a full pipe would block the server.
      child.stderr?.on('data', onStderr)
      return promise
    },
    send: async (message: JSONRPCMessage) => {
      const stdin = program?.child.stdin
      if (!isOpen || stdin === null || stdin === undefined) throw new Error('Not connected')
      if (!stdin.write(serializeMessage(message))) await once(stdin, 'drain')
    },
    close: async () => {
      buffer.clear()
      if (program === undefined || !isOpen) return
      const { child } = program
      isOpen = false
      const { promise: closed, resolve } = Promise.withResolvers<void>()
      child.once('close', () => resolve())
      child.stdin?.end()
      const timer = setTimeout(stop, GOODBYE_MS).unref()
      await closed
      clearTimeout(timer)
    },
  }
  return transport
}

function read(chunk: Buffer, buffer: InstanceType<ClientSdk['ReadBuffer']>, transport: Transport): void {
  try {
    buffer.append(chunk)
  } catch (error) {
    transport.onerror?.(error as Error)
    void transport.close()
    return
  }
  for (let isMore = true; isMore;)
    try {
      const message = buffer.readMessage()
      isMore = message !== null
      if (message !== null) transport.onmessage?.(message)
    } catch (error) {
      transport.onerror?.(error as Error)
    }
}
