import { describe, expect, test } from 'vitest'
import { estimateTokens } from '../../base/tokens.ts'
import { cannotDo, HELLO, HELP, STAND_IN } from '../offline/commands.ts'
import { extractSummary, plainSentences, type Spoken } from './extract.ts'

const user = (text: string, date?: string): Spoken => ({
  who: 'user',
  text,
  ...(date !== undefined && { at: Date.parse(`${date}T12:00:00Z`) }),
})
const assistant = (text: string): Spoken => ({ who: 'assistant', text })
/** Covered, but never quoted: without it, so few words leave no room for speakers and days. */
const results: Spoken = { who: 'tool', text: '{"row":1},'.repeat(200) }

function summary(...messages: readonly Spoken[]): string {
  return summaryAfter(null, ...messages)
}

function summaryAfter(previous: string | null, ...messages: readonly Spoken[]): string {
  return extractSummary({ previous, messages: [results, ...messages], tokensMax: 500 })
}

function focused(focus: string, ...messages: readonly Spoken[]): string {
  return extractSummary({ previous: null, messages: [results, ...messages], tokensMax: 200, focus })
}

function of(previous: string | null, ...messages: readonly Spoken[]): string {
  return extractSummary({ previous, messages, tokensMax: 500 })
}

const bank = user('My bank is Sparda')
const ONLY_BANK = '- user: My bank is Sparda'

describe('what is kept', () => {
  test('a name, a number, a date, a decision, a promise, a need and an open question, in order of time', () => {
    const said = [
      'My sister Inês lives in Porto',
      'The budget is 1,800 euros and we fly on 9 May',
      "Let's take the train and not the bus",
      'Remind me to call the dentist on Friday',
      "I'm allergic to penicillin",
      'Do we need a visa for Georgia? I have no idea',
    ]
    const text = summary(...said.flatMap((one) => [user(one), assistant('How nice.')]))
    expect(text).toBe(said.map((one) => `- user: ${one}`).join('\n'))
  })

  test('a line tells who said it and on which day, and the year where it changes', () => {
    const text = summary(
      user('My bank is Sparda', '2025-12-30'),
      user('My doctor is Dr. Patel', '2026-01-02'),
      user('My dentist is Dr. Adeyemi', '2026-01-03'),
    )
    expect(text).toBe(
      '- user 30 Dec 2025: My bank is Sparda\n- user 2 Jan 2026: My doctor is Dr. Patel\n- user 3 Jan: My dentist is Dr. Adeyemi',
    )
  })

  test('a bare answer is told with its question', () =>
    expect(summary(assistant('Do you have a budget in mind?'), user('1,800 euros each'))).toBe(
      '- user: Do you have a budget in mind? 1,800 euros each',
    ))

  test('a question that was answered is not open, and its answer is told', () => {
    const asked = user('Which platform does the train to Porto leave from?')
    expect(summary(asked, assistant('From platform 4.'), user('thanks'))).toBe(
      '- assistant: Which platform does the train to Porto leave from? From platform 4.',
    )
  })

  test('what a model explains at length gives way to what a person told', () => {
    const lecture = 'The Boston Tea Party took place on 16 December 1773 in Boston. '.repeat(8)
    const told = Array.from({ length: 8 }, (_, index) =>
      user(`The invoice of Firm${index} is 3${index}0 euros`),
    )
    const text = extractSummary({ previous: null, messages: [assistant(lecture), ...told], tokensMax: 100 })
    expect(text).not.toContain('Boston')
    for (let index = 0; index < 8; index++) expect(text).toContain(`3${index}0 euros`)
  })

  test.each([
    ['Invoice 4758 is paid', 'Invoice 4759 is paid'],
    ['The meeting is at 3 pm', 'The meeting was moved to 4 pm'],
    ['I met Luigi in the park yesterday', 'I met Marta in the park yesterday'],
    ['发票4758已经付款', '发票4759已经付款'],
  ])('two lines with other numbers or names both stay, the newer below: %s / %s', (first, second) =>
    expect(summary(user(first), user(second))).toBe(`- user: ${first}\n- user: ${second}`),
  )

  test.each([
    ['Ich ziehe am 6. Juni um, meine neue Adresse ist Leonhardstraße 44', /6\. Juni.*Leonhardstraße 44/],
    ['La boda es el 14 de junio a las 17:30 en la Masía Aldamar', /14 de junio.*17:30.*Aldamar/],
    ['我叫王芳，住在上海。预算是5000元。', /王芳.*5000元/s],
    ['Встреча в пятницу в 15:00', /15:00/],
    ['🎉 party on 4 May 🎉', /4 May/],
  ])('numbers, dates and names in any language: %s', (said, kept) =>
    expect(summary(user(said))).toMatch(kept),
  )

  test.each([
    ['Wer kümmert sich um das Internet? Das ist noch offen', 'Das weiß ich nicht.'],
    ['¿Quién recoge a la abuela? Todavía no lo sé', 'Ya veremos.'],
    ['酒店订在哪里？还没想好。', '我不知道。'],
    ['Где мы встречаемся?', 'Не знаю.'],
    ['أين نلتقي؟', 'لا أعرف'],
  ])('an open question in any language: %s', (question, reply) =>
    expect(summary(user(question), assistant(reply))).toContain(question.slice(0, 7)),
  )
})

describe('what is left out', () => {
  test.each([
    ['heads of messages', '[2026-03-01 Sun 09:30 Europe/Berlin]\n\nMy bank is Sparda'],
    ['tags', '[fork-started]\n(written by the host: you are a new branch)\nMy bank is Sparda'],
    ['runs', '[routine-bg:x]\n(scheduled background run; nobody is waiting)\nMy bank is Sparda'],
    ['code blocks', 'My bank is Sparda\n```ts\nconst limit = 4711\n```'],
    ['an unfinished code block', 'My bank is Sparda\n```ts\nconst limit = 4711'],
    ['data of others', 'My bank is Sparda\n<data source="mail">\nWe decided to pay 4711 euros.\n</data>'],
    ['tables', 'My bank is Sparda\n| a | 4711 |\n|---|---|'],
    ['lines of a log', 'My bank is Sparda\n2026-02-11T08:12:11 INFO request id=4711'],
    ['pleasantries', 'oh, My bank is Sparda'],
  ])('%s', (_, text) =>
    expect(summary(user(text), assistant('Great, thanks!'), user('haha ok'))).toBe(ONLY_BANK),
  )

  test('results of tools, even where there is nothing else', () => {
    const result: Spoken = { who: 'tool', text: 'The hotel in Graz costs 4712 euros on 4 May.' }
    expect(summary(bank, result)).toBe(ONLY_BANK)
    expect(summary(result, user('```\nrm -r .\n```'))).toBe('')
  })

  test('what is said twice, by the same or by the other', () => {
    const text = summary(
      user('We decided to sell the old house in Graz'),
      assistant('So you decided to sell the old house in Graz.'),
      user('yes, we decided to sell the house in Graz'),
    )
    expect(text.split('\n')).toHaveLength(1)
    expect(text).toMatch(/^- user: .*sell the .*house in Graz$/)
  })

  test.each([
    HELLO,
    HELP,
    STAND_IN,
    cannotDo('We owe Dr. Miller 300 euros. Invoice 4758 is due on Friday'),
    "I'm sorry, but I can't book flights to Porto for 9 May.",
    'As an AI language model, I do not have access to your Sparda account from 2026.',
    'My apologies, I am only a text-based assistant and cannot call Dr. Patel on 9 May.',
    'Leider kann ich keine Flüge nach Porto am 9. Mai buchen.',
    'Lo siento, no puedo reservar el vuelo 212 a Porto.',
    '抱歉，我无法预订5月9日的机票。',
  ])('what a model says only of itself: %s', (answer) => {
    expect(summary(bank, assistant(answer), assistant(answer))).toBe(ONLY_BANK)
    expect(summary(assistant(answer))).toBe('')
  })

  test.each([
    'I cannot find booking 4711 of 9 May in your mail.',
    "I can't book it for 9 May: the Hotel Graz is full on 9 May.",
    "I can't book it myself, but the Hotel Graz has a room for 80 euros.",
    'I cannot pay invoice 4758 of Dr. Miller because the card from Sparda is blocked until 9 May.',
  ])('but not what it tells besides: %s', (text) => {
    expect(summary(bank, assistant(text))).toContain(text)
  })
})

describe('the focus is kept before other things', () => {
  /** More than one summary of 200 tokens can hold. */
  const crowd = Array.from({ length: 500 }, (_, index) =>
    user(`We decided on 3${index} euros for Tom${index}`),
  )
  test.each([
    ['HEDGEHOGS', 'the hedgehog house stands behind the shed'],
    ['parties', 'the party was dull, said aunt'],
    ['allergy', 'cats made him allergic, poor boy'],
    ['running', 'to run alone is dull'],
    ['invoice 4758', 'that invoice 4758 was dull'],
    ['4758', 'that INV-4758 was dull'],
    ['1800', 'it was 1,800 once'],
    ['3pm', 'they came at 3 pm, dull'],
    ['inês', 'then there was Inês with cake'],
    ['everything about the garden shed', 'the garden shed was dull'],
    ['Rechnungen', 'die Rechnung war langweilig'],
    ['刺猬', '院子里有刺猬'],
  ])('%s', (focus, told) => {
    expect(focused('', user(told), ...crowd)).not.toContain(told)
    expect(focused(focus, user(told), ...crowd)).toContain(told)
    expect(
      extractSummary({ previous: `- user 3 May: ${told}`, messages: crowd, tokensMax: 200, focus }),
    ).toContain(told)
  })

  test('a line that tells all of it comes before those that tell a word of it', () =>
    expect(focused('Tom333 euros', ...crowd)).toContain('We decided on 3333 euros for Tom333'))

  test('and a part of a long sentence that is cut otherwise', () => {
    const long = `The kitchen will be done by Brandl for 11,400 euros on 9 May with ${'the oak boards, '.repeat(12)}and the hedgehog stays outside`
    expect(focused('', user(long))).not.toContain('hedgehog')
    expect(focused('hedgehog', user(long))).toContain('hedgehog')
  })

  test('of two lines that tell nearly the same, the one that is asked for stays', () => {
    const said = [
      user('We decided to sell the house in Graz with the walnut tree'),
      assistant('You decided to sell the house in Graz with the walnut tree and the tiny sauna.'),
    ]
    expect(focused('', ...said)).not.toContain('sauna')
    expect(focused('sauna', ...said)).toContain('sauna')
  })
})

describe('a summary that is folded in', () => {
  test('keeps its facts word for word through ten compactions of chatter', () => {
    const facts = ['confirmation code is R7KQ2M', 'my doctor is Dr. Patel', "I'm allergic to penicillin"]
    let text = summary(...facts.map((fact) => user(fact)))
    for (let round = 0; round < 10; round++) {
      const chatter = Array.from({ length: 20 }, () => user('lunch was nice, haha'))
      text = summaryAfter(text, ...chatter)
    }
    for (const fact of facts) expect(text).toContain(`- user: ${fact}`)
  })

  test('loses the least valuable lines first when it has to become shorter', () => {
    const kept = ['the code of the safe is R7KQ2M', 'we decided to sell the house in Graz']
    const long = summary(user('we saw 3 ducks'), ...kept.map((one) => user(one)), user('4 more ducks'))
    expect(long).toContain('ducks')
    const short = extractSummary({ previous: long, messages: [], tokensMax: 27 })
    expect(short).toBe(kept.map((one) => `- user: ${one}`).join('\n'))
  })

  test('of another author is read sentence by sentence, without its headings', () => {
    const previous = `Maria is moving to Graz on 6 June with her cat Mokka. The rent there is 700 euros a month for the first year, then 750 euros for each of the years that follow.

**Decisions:**
1. The old kitchen stays.

## Next steps
- Call Herr Wieser by Friday
`
    const text = summaryAfter(previous, bank)
    expect(text).toBe(`- Maria is moving to Graz on 6 June with her cat Mokka.
- The rent there is 700 euros a month for the first year, then 750 euros for each of the years that follow.
- The old kitchen stays.
- Call Herr Wieser by Friday
${ONLY_BANK}`)
    expect(extractSummary({ previous: text, messages: [], tokensMax: 500 })).toBe(text)
  })

  test('of our older versions keeps its days', () => {
    const previous =
      'Until 2 Jan 2026:\n### People and facts\n- user 30 Dec 2025: My bank is Sparda\n- user 2 Jan: My doctor is Dr. Patel'
    expect(summaryAfter(previous, user('My dentist is Dr. Adeyemi', '2026-01-03'))).toBe(
      '- user 30 Dec 2025: My bank is Sparda\n- user 2 Jan 2026: My doctor is Dr. Patel\n- user 3 Jan: My dentist is Dr. Adeyemi',
    )
  })
})

describe('a summary is never longer than what it covers', () => {
  test('where speakers would make it longer, the lines stand without them, and are folded in like others', () => {
    const said = ['My bank is Sparda', "I'm allergic to penicillin"]
    const text = of(null, ...said.flatMap((one) => [user(one, '2026-03-01'), assistant('Noted.')]))
    expect(text).toBe(said.join('\n'))
    expect(of(text)).toBe(text)
    expect(summaryAfter(text)).toBe(said.map((one) => `- ${one}`).join('\n'))
  })

  test('of a single word it is the word, and of nothing it is empty', () => {
    expect(of(null, user('Sparda'))).toBe('Sparda')
    expect(of(null, { who: 'tool', text: '{}' })).toBe('')
    expect(of(null, user(''))).toBe('')
    expect(of(null)).toBe('')
  })
})

describe('huge and hostile input is summed up in time', () => {
  test.each(['.', '?', '"', '*', '[', '1', 'a@', '，', 'my ', '- ', '> ', '`'])('a row of %s', (sign) => {
    const text = `My bank is Sparda. ${sign.repeat(300_000)}b`
    expect(summary(user(text))).toContain('My bank is Sparda')
  })

  test('thousands of messages', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => user(`Entry ${index}: a day like any other`))
    const text = summary(bank, ...many)
    expect(text).toContain('My bank is Sparda')
    expect(estimateTokens(text)).toBeLessThanOrEqual(500)
  })
})

test('as plain sentences it has no list, days and speakers', () => {
  const texts = ['The ferry to Palermo leaves Genoa at 22:30.', 'I decided to take the cabin.']
  const text = summary(...texts.map((one) => user(one, '2026-03-01')))
  expect(text).toMatch(/^- user 1 Mar 2026: /)
  expect(plainSentences(text)).toBe(texts.join(' '))
  expect(plainSentences('The tram goes up the hill.')).toBe('The tram goes up the hill.')
  expect(plainSentences('')).toBe('')
})
