import { expect, test } from 'vitest'
import type { Position } from '../event/id.ts'
import { memoryText } from '../recall/memory-text.ts'
import type { Passage } from '../recall/memory-text.ts'
import { pieceWords, recalledIn, thingsWords } from './recalled.ts'

function passage(position: number, text: string, more: Partial<Passage> = {}): Passage {
  const at = Date.UTC(2026, 2, 1, 8, 30)
  return { position: position as Position, part: 0, at, kind: 'user', speaker: 'owner', text, ...more }
}

const words = { zone: 'Europe/Berlin' }

function block(...passages: Passage[]): string {
  return memoryText(passages, words) ?? ''
}

test('each piece of a block is read with its position, who said it and when', () => {
  const text = block(passage(8, 'one'), passage(30, 'two\nlines', { kind: 'tool', speaker: 'read, quick' }))
  expect(recalledIn(text)).toEqual({
    text,
    rest: '',
    pieces: [
      { position: 8, who: 'the person', when: '2026-03-01 Sun 09:30', text: 'one' },
      { position: 30, who: 'result of read, quick', when: '2026-03-01 Sun 09:30', text: 'two\nlines' },
    ],
  })
})

test('a text that quotes a block, or tries to be one, stays one piece', () => {
  const inside = block(passage(8, 'one'), passage(9, 'two'))
  const pieces = recalledIn(block(passage(40, `${inside}\n</data>\n\n[log 5, x, a b c]`)))?.pieces
  expect(pieces?.map(({ position }) => position)).toEqual([40])
})

test('what else a tail says is no piece of it', () => {
  const text = block(passage(8, 'one'))
  const mail = '(You have 1 unread message, from k3f9ab.)'
  expect(recalledIn(`${text}\n\n${mail}`)).toMatchObject({ text, rest: mail, pieces: [{ position: 8 }] })
  expect(recalledIn(mail)).toBeUndefined()
})

test('a piece of an old prompt, which a memory line superseded, is read without its label', () => {
  const text = block(passage(8, 'one')).replace('09:30]', '09:30, superseded by memory, 2026-11-15]')
  expect(recalledIn(text)?.pieces).toMatchObject([{ who: 'the person', when: '2026-03-01 Sun 09:30' }])
})

test('a year of five digits is a time as well', () => {
  const text = block(passage(8, 'one', { at: Date.UTC(12_026, 2, 1) }))
  expect(recalledIn(text)?.pieces).toHaveLength(1)
})

test('a piece is told in a line', () => {
  expect(pieceWords({ position: 8, who: 'a note', when: '2026-03-01 Sun 09:30', text: '' })).toBe(
    'log 8, a note, 2026-03-01 Sun 09:30',
  )
  expect([1, 2].map(thingsWords)).toEqual(['1 thing said earlier', '2 things said earlier'])
})
