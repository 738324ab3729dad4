import { expect, test } from 'vitest'
import { fence } from '../../event/fence.ts'
import { memoryIn } from './memory.ts'

function tail(...blocks: string[]) {
  return [{ role: 'user', text: ['## Relevant Memory 🧠', 'Said earlier.', ...blocks].join('\n\n') }] as const
}

const SAID = '[log 8, the person, 2026-03-01 Sun 09:30'

test('a piece is read with its head', () => {
  expect(memoryIn(tail(`${SAID}]\n${fence('recall', '> the assistant: Who?\nDr. Kim')}`))).toEqual([
    {
      who: 'user',
      name: undefined,
      at: '2026-03-01 Sun 09:30',
      position: 8,
      label: undefined,
      text: 'Dr. Kim',
    },
  ])
})
