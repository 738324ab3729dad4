import { describe, expect, test } from 'vitest'
import type { Spoken } from './entry.ts'
import { extractSummary } from './extract.ts'
import { labelsIn } from './signals.ts'

const user = (text: string): Spoken => ({ who: 'user', text })
/** Covered, but never quoted: without it, so few words leave no room for headings. */
const results: Spoken = { who: 'tool', text: '{"row":1},'.repeat(200) }

function linesOf(...said: readonly string[]): string[] {
  const messages = [results, ...said.map(user)]
  const text = extractSummary({ previous: null, messages, tokensMax: 500 })
  return text.split('\n').filter((line) => line.startsWith('- '))
}

describe('a number that names a thing keeps lines apart', () => {
  test.each([
    ['Invoice 4758 is paid', 'Invoice 4759 is paid'],
    ['Room 12 costs 80', 'Room 14 costs 95'],
    ['Order #55 arrived broken from the shop', 'Order #56 arrived broken from the shop'],
    ['Flight 212 leaves at 9:30', 'Flight 214 leaves at 11:30'],
    ['I paid invoice 4758 for the roof', 'I paid invoice 4759 for the roof'],
    ['The lamp in room 12 is broken', 'The lamp in room 14 is broken'],
    ['The meeting with Tom is in room 12', 'The meeting with Tom is in room 14'],
    ['The tenant of apartment 5 pays 700', 'The tenant of apartment 6 pays 820'],
    ['Patient no. 17 gets 20 mg of the drug', 'Patient no. 18 gets 35 mg of the drug'],
    ['Claim number 5512 was rejected by the insurer', 'Claim number 5519 was rejected by the insurer'],
    ['Seat 14 was upgraded by the airline', 'Seat 15 was upgraded by the airline'],
    ['TP567 leaves at 6 from Lisbon', 'TP568 leaves at 9 from Lisbon'],
    ['Contract A-118 runs until 2027', 'Contract A-119 runs until 2029'],
    ['Revenue 2025 was 40 million', 'Revenue 2026 was 50 million'],
    ['Room 12 is booked for the party', 'Table 12 is booked for the party'],
    ['Invoice 4758 was moved to Friday', 'Invoice 4759 was moved to Monday'],
    ['The flight to Porto costs 80', 'Flight 212 to Porto is booked'],
    ['Rechnung 2201 ist bezahlt und abgelegt', 'Rechnung 2202 ist bezahlt und abgelegt'],
    ['El pedido 77 ya fue enviado al cliente', 'El pedido 78 ya fue enviado al cliente'],
    ['发票4758已经付款', '发票4759已经付款'],
  ])('%s / %s', (first, second) => {
    expect(linesOf(first, second)).toEqual([`- user: ${first}`, `- user: ${second}`])
  })

  test('when they are folded in from an earlier summary, too', () => {
    const previous = '### People and facts\n- user: Invoice 4758 is paid'
    const messages = [results, user('Invoice 4759 is paid')]
    const text = extractSummary({ previous, messages, tokensMax: 500 })
    expect(text).toBe(`${previous}\n- user: Invoice 4759 is paid`)
  })

  test('when one is a promise that is kept and the other is not', () => {
    const lines = linesOf('We need to pay invoice 4758 for the roof', 'Invoice 4759 for the roof is paid')
    expect(lines).toHaveLength(2)
    expect(linesOf('We need to pay invoice 4758 for the roof', 'Invoice 4758 for the roof is paid')).toEqual([
      '- user: Invoice 4758 for the roof is paid',
    ])
  })
})

describe('a number that is told of a thing is replaced by a newer one', () => {
  test.each([
    ['The budget is 400', 'The budget is 450', '400'],
    ['The trip budget is 400', 'The trip budget is now 450', '400'],
    ['Room 12 costs 80 per night', 'Room 12 costs 95 per night', '80'],
    ['The server listens on port 8080', 'The server listens on port 9090', '8080'],
    ['The wifi password is X7K2Q9', 'The wifi password is Q9L3B1', 'X7K2Q9'],
    ['The sofa costs 640 at the outlet', 'The sofa costs 590 at the outlet', '640'],
    ['We need 40 chairs for the wedding', 'We need 55 chairs for the wedding', '40'],
    ['Party budget 300', 'Party budget 350', '300'],
    ['Die Miete der Wohnung beträgt 900', 'Die Miete der Wohnung beträgt 950', '900'],
    ['El presupuesto de la boda es 4000', 'El presupuesto de la boda es 4500', '4000'],
  ])('%s / %s', (first, second, before) => {
    expect(linesOf(first, second)).toEqual([`- user: ${second} (before: ${before})`])
  })

  test('a new value of a thing without its number is told with the line that has it', () =>
    expect(linesOf('Room 12 costs 80', 'The room costs are now 95')).toEqual([
      '- user: Room 12 costs 80 → The room costs are now 95',
    ]))
})

test.each([
  ['invoice #4758 and room no. 12 are paid', ['invoice 4758', 'room 12']],
  ['the rent is 900, about 40 more, in 2026', []],
])('the labels in "%s"', (text, labels) => expect([...labelsIn(text)]).toEqual(labels))
