import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Growing, joined } from './growing.ts'

const text = fc.stringMatching(/^[ab \n]{0,6}$/)
const step = fc.record({ pieces: fc.array(text, { maxLength: 4 }), broken: fc.nat(3) })

test('whatever breaks off and says the same again, the client gets the whole answer and nothing twice', () => {
  const all = fc.array(step, { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(all, (steps) => {
      const growing = new Growing()
      let sent = ''
      for (const [index, { pieces, broken }] of steps.entries()) {
        for (const piece of pieces.slice(0, broken)) sent += growing.piece(piece)
        growing.again()
        for (const piece of pieces) sent += growing.piece(piece)
        if (index < steps.length - 1) growing.stepOver()
      }
      const whole = joined(steps.map(({ pieces }) => pieces.join('')))
      sent += growing.whole(whole)
      expect(sent).toBe(whole)
    }),
    { seed: 18, numRuns: 500 },
  )
})

test('an answer that begins again with other words is whole after a line that says so', () => {
  const growing = new Growing()
  let sent = growing.piece('Let me see.')
  growing.stepOver()
  sent += growing.piece('It is fo')
  growing.again()
  sent += growing.piece('Forty') + growing.piece('-two.')
  sent += growing.whole('Let me see.\n\nForty-two.')
  expect(sent).toBe('Let me see.\n\nIt is fo\n\n(The answer broke off and begins again.)\n\nForty-two.')
})

test('a remark of the host after the answer, and steps that were not heard, come at the end', () => {
  const growing = new Growing()
  expect(growing.piece('Yes')).toBe('Yes')
  expect(growing.whole('Yes\n\n(cut off)')).toBe('\n\n(cut off)')
  expect(new Growing().whole('All of it')).toBe('All of it')
})
