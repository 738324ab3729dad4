import { expect, test } from 'vitest'
import { z } from 'zod'
import { HIDDEN, parametersOf, readArguments } from './define-tool.ts'

const schema = z
  .strictObject({
    text: z.string().trim().min(1).max(80),
    limit: z.int().min(1).max(20).describe('Lines').exactOptional(),
    item: z.union([z.string(), z.int()]).transform(String).exactOptional(),
    mode: z.enum(['one', 'all']).exactOptional(),
    rows: z.array(z.strictObject({ name: z.string() })).exactOptional(),
    old_name: z.string().exactOptional().meta(HIDDEN),
  })
  .refine(({ text }) => text !== 'no', { error: 'no is no text' })

test('a model is told what it needs to call a tool, and no more', () => {
  expect(JSON.stringify(parametersOf(schema))).toBe(
    JSON.stringify({
      type: 'object',
      properties: {
        text: { type: 'string' },
        limit: { type: 'integer', maximum: 20, description: 'Lines' },
        item: { type: 'string' },
        mode: { type: 'string', enum: ['one', 'all'] },
        rows: {
          type: 'array',
          items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        },
      },
      required: ['text'],
    }),
  )
})

test('the same schema reads the arguments; null counts as left out', () => {
  expect(readArguments(schema, { text: ' tea ', item: 3, limit: null, old_name: 'x' })).toEqual({
    is: { text: 'tea', item: '3', old_name: 'x' },
  })
})

test.each([
  [{}, 'text: it is missing'],
  [{ text: 'x', limit: 21 }, 'limit: Too big: expected number to be <=20'],
  [{ text: 'x', more: 1 }, 'Unrecognized key: "more"'],
  [{ text: 'no' }, 'no is no text'],
])('%j is refused with what is wrong', (args, problem) => {
  expect(readArguments(schema, args)).toEqual({ problem: `Bad arguments: ${problem}.` })
})
