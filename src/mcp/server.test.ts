import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { clientOf, newStreams } from '../../test/stand-ins/mcp-client.ts'
import type { BranchId, TurnId } from '../event/id.ts'
import { builtIn, failed, ok, type CallContext, type Tool } from '../tool/tool.ts'
import { serveMcp, type ServedParts } from './server.ts'

function tool(name: string, run: Tool['run'], check?: Tool['check']): Tool {
  const parameters = { type: 'object', properties: { word: { type: 'string' } } }
  return {
    spec: { name, description: `Does ${name}`, parameters },
    nature: builtIn('looks'),
    run,
    ...(check && { check }),
  }
}

const place = { branch: 'br_0n5f8k2q1k3f9ab' as BranchId, turn: 'tn_0n5f8k2q1k3f9ab' as TurnId }

const context: ServedParts['context'] = async () => place

async function served(tools: readonly Tool[], parts: Partial<ServedParts> = {}) {
  const streams = newStreams()
  const done = serveMcp({ tools, version: '1.2.3', transport: streams, context, ...parts })
  const client = await clientOf(streams, 'A client!')
  return { client, done, streams }
}

describe('a client', () => {
  test('is given the tools as they are, and who serves them', async () => {
    const names: string[] = []
    const { client } = await served([tool('one', async () => ok('x'))], {
      instructions: 'Ask.',
      onClient: (name) => void names.push(name),
    })
    expect((await client.listTools()).tools).toEqual([
      {
        name: 'one',
        description: 'Does one',
        inputSchema: { type: 'object', properties: { word: { type: 'string' } } },
      },
    ])
    expect(client.getServerVersion()).toEqual({ name: 'mainstem', version: '1.2.3' })
    expect(client.getInstructions()).toBe('Ask.')
    expect(names).toEqual(['A client!'])
  })

  test('calls them with its arguments, in the place that is right at that moment', async () => {
    const seen: unknown[] = []
    const turns = ['tn_0n5f8k2q1k3f9ab', 'tn_0n5f8k2q1k3f9ac'] as TurnId[]
    const run: Tool['run'] = async (args, call) => {
      seen.push([args, call.branch, call.turn, call.signal.aborted])
      return ok('done')
    }
    const context = async () => ({ branch: place.branch, turn: turns[seen.length] ?? place.turn })
    const { client } = await served([tool('one', run)], { context })
    const answer = await client.callTool({ name: 'one', arguments: { word: 'w' } })
    expect(answer).toEqual({ content: [{ type: 'text', text: '{"text":"done"}' }], isError: false })
    await client.callTool({ name: 'one' })
    expect(seen).toEqual([
      [{ word: 'w' }, place.branch, turns[0], false],
      [{}, place.branch, turns[1], false],
    ])
  })

  test.each<[string, Tool, string]>([
    ['a tool refuses', tool('one', async () => failed('not so')), 'not so'],
    [
      'its arguments do not fit',
      tool(
        'one',
        async () => ok('x'),
        () => 'no such word',
      ),
      'no such word',
    ],
    ['a tool breaks', tool('one', () => Promise.reject(new Error('disk is gone'))), 'disk is gone'],
  ])('is told as a result that %s', async (_, one, error) => {
    const { client } = await served([one])
    const text = JSON.stringify({ error })
    expect(await client.callTool({ name: 'one' })).toEqual({
      content: [{ type: 'text', text }],
      isError: true,
    })
  })

  test('is told where there is nothing to work on', async () => {
    const { client } = await served([tool('one', async () => ok('x'))], {
      context: async () => 'Nothing yet.',
    })
    expect(await client.callTool({ name: 'one' })).toMatchObject({ isError: true })
  })

  test('that calls what is not there gets an error of the protocol', async () => {
    const { client } = await served([tool('one', async () => ok('x'))])
    await expect(client.callTool({ name: 'two' })).rejects.toThrow('There is no tool "two". There are: one')
  })

  test('can stop a call', async () => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<AbortSignal>()
    const run = async (_: unknown, { signal }: CallContext) => {
      begin(signal)
      await once(signal, 'abort')
      return ok('stopped')
    }
    const { client } = await served([tool('one', run), tool('two', async () => ok('x'))])
    const stop = new AbortController()
    const call = client.callTool({ name: 'one' }, undefined, { signal: stop.signal })
    const signal = await begun
    stop.abort('enough')
    await expect(call).rejects.toThrow('enough')
    await expect.poll(() => signal.aborted).toBe(true)
    expect(await client.callTool({ name: 'two' })).toMatchObject({ isError: false })
  })

  test('that leaves ends the serving, and its last questions are answered', async () => {
    const { promise: free, resolve: release } = Promise.withResolvers<void>()
    const { client, done, streams } = await served([
      tool('slow', async () => {
        await free
        return ok('late')
      }),
    ])
    const call = client.callTool({ name: 'slow' })
    await new Promise(setImmediate)
    streams.input.end()
    await once(streams.input, 'end')
    await new Promise(setImmediate)
    release()
    expect(await call).toMatchObject({ content: [{ text: '{"text":"late"}' }] })
    await done
  })
})

test('without the package nothing is served, and it is said how to install it', async () => {
  const streams = newStreams()
  const parts = {
    tools: [],
    version: '1',
    transport: streams,
    context,
    sdkName: '@modelcontextprotocol/missing',
  }
  await expect(serveMcp(parts)).rejects.toThrow('npm install -g @modelcontextprotocol/sdk')
})
