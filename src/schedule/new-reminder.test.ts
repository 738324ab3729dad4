import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isoInstant } from '../base/iso-time.ts'
import { idText } from './field-type.ts'
import { newReminder, reminderId, runAtOf } from './new-reminder.ts'
import { readDefinition } from './read-definition.ts'
import { definitionText } from './write-definition.ts'
import { rounds } from '../../test/rounds.ts'

describe('the name of a reminder', () => {
  test.each([
    ['Call mum', 'call-mum'],
    ['Remind me to call the dentist about my tooth', 'call-dentist-tooth'],
    ['to the', 'to-the'],
    ["Don't forget: Anna's birthday is coming soon", 'dont-forget-annas-birthday'],
    ['Grüße an Café Österreich', 'grusse-cafe-osterreich'],
    ['買い物', '買い物'],
    ['!!!', 'reminder'],
    ['x'.repeat(100), 'x'.repeat(32)],
    ['Donaudampfschifffahrtsgesellschaft anrufen', 'donaudampfschifffahrtsgesellscha'],
    ['buy 2 kg apples', 'buy-2-kg-apples'],
  ])('of %j is %s', (text, id) => {
    expect(reminderId(text, () => false)).toBe(id)
  })

  test('is one that nobody has', () => {
    const taken = new Set(['tea', 'tea-2'])
    expect(reminderId('Tea', (id) => taken.has(id))).toBe('tea-3')
  })

  test('is an id, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), fc.nat(3), (text, times) => {
        let left = times
        const id = reminderId(text, () => left-- > 0)
        expect(idText.read(id)).toEqual({ value: id })
      }),
      { numRuns: rounds(1_000) },
    )
  })
})

test('its time is that instant, to the second, in any zone', () => {
  const zones = ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/St_Johns', 'Pacific/Chatham']
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e12 }), fc.constantFrom(...zones), (at, zone) => {
      expect(isoInstant(runAtOf(at, zone), 'Asia/Tokyo')).toBe(Math.floor(at / 1_000) * 1_000)
    }),
  )
})

test('what it is without a word is what a file says without a word', async () => {
  const plain = newReminder({ id: 'tea', body: 'Tea', runAt: runAtOf(0, 'UTC') })
  const read = await readDefinition(
    { file: 'reminders/tea.md', text: '---\nrun-at: 1970-01-01T00:00:00Z\n---\nTea\n' },
    { due: 'required' },
  )
  expect(read).toEqual({ definition: plain, warnings: [] })
  expect(await definitionText(plain)).toContain('Tea')
})
