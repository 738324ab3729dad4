import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { fence } from '../src/event/fence.ts'
import { called, opened } from './mcp/opened.ts'

const PROGRAM = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'))

test('a public server is listed and called', async () => {
  const { mcp } = opened({ everything: { command: process.execPath, args: [PROGRAM, 'stdio'] } })
  const { tools, notes } = await mcp.refresh([])
  expect(notes).toEqual([])
  const names = tools.map(({ spec }) => spec.name)
  expect(names).toContain('everything__echo')
  expect(names).toEqual(names.toSorted())
  // Those that would ask us back are not offered to one who says that it cannot be asked.
  expect(names.filter((name) => /sampling|elicitation|roots/.test(name))).toEqual([])
  expect(await called(tools, 'everything__echo', { args: { message: 'hello' } })).toEqual({
    text: fence('mcp everything', 'Echo: hello'),
  })
  expect(await called(tools, 'everything__get-sum', { args: { a: 2, b: 40 } })).toEqual({
    text: fence('mcp everything', 'The sum of 2 and 40 is 42.'),
  })
  expect((await called(tools, 'everything__get-sum', { args: { a: 'two' } })).error).toContain('Invalid')
  const { text } = await called(tools, 'everything__get-tiny-image')
  expect(text).toMatch(/\(image, image\/png, \d+ (?:KB|bytes)\)/)
  const long = { args: { duration: 1, steps: 2 } }
  expect((await called(tools, 'everything__trigger-long-running-operation', long)).text).toContain(
    'completed',
  )
})
