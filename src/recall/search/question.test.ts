import { describe, expect, test } from 'vitest'
import { indexOf, type Said } from '../../../test/recall-search/said.ts'
import { held } from './indexed.ts'
import { readQuestion, type Asker } from './question.ts'

const talk: Said[] = [
  { by: 'Caroline', text: 'The pottery class was wonderful, my teacher knows everything about clay' },
  { by: 'Melanie', text: 'We went camping in the mountains with the children' },
  { by: 'Will Smith', text: 'I planted a rose and marked the place' },
  { by: 'Anna Smith', text: 'The owner of the bakery says hello' },
  { by: 'Jürgen', text: 'What the others said about the bakery' },
  { by: '王小明', text: '小猫在花园里' },
  { by: 'assistant', text: 'Here is a list of bakeries' },
  { by: 'user', text: 'imported long ago' },
  { by: 'owner', text: 'camping again, Caroline?' },
  { by: 'April', text: 'gpt4 and 1234' },
  { by: 'Rose', text: 'hello' },
]

function read(text: string, asker: Asker = {}) {
  const index = indexOf(...talk)
  const question = readQuestion(index, text, asker)
  return {
    ...question,
    persons: question.persons.map((one) =>
      [...one].map((number) => index.speakers[number] as string).toSorted(),
    ),
    terms: question.sought.map(({ term }) => term).toSorted(),
  }
}

describe('a question is about', () => {
  test.each<[string, string, string[][], Asker?]>([
    ['the one it names', 'What did Melanie do?', [['Melanie']]],
    ['two, in its order', 'Did Melanie or Caroline camp?', [['Melanie'], ['Caroline']]],
    ['one who is named twice, once', 'Melanie, is that Melanie?', [['Melanie']]],
    ['one with a possessive', "Where is Caroline's class?", [['Caroline']]],
    ['one with another apostrophe', 'Where is Caroline’s class?', [['Caroline']]],
    ['one whose apostrophe was left out', 'Where is Carolines class?', [['Caroline']]],
    ['one in small letters', 'where did melanie go', [['Melanie']]],
    ['one without accents', 'what did jurgen say', [['Jürgen']]],
    ['one with a letter too few', 'Where did Carolne go?', [['Caroline']]],
    ['one with two letters swapped', 'Where did Carolnie go?', [['Caroline']]],
    ['one with a typo and a possessive', "Carolne's class", [['Caroline']]],
    ['nobody by a short word', 'What did ann do?', []],
    ['nobody by a digit', 'What did Carol1ne do?', []],
    ['all who bear a name', 'What did Smith plant?', [['Anna Smith', 'Will Smith']]],
    ['one by two names', 'What did Anna Smith plant?', [['Anna Smith']]],
    ['one whose name is a little word', 'What did Will plant?', [['Will Smith']]],
    ['nobody, where that word is a little one', 'Will it rain?', []],
    ['nobody, where that word is small', 'what will it be', []],
    ['nobody, where a word only has the stem of a name', 'Is that willing?', []],
    ['nobody, whatever is part of a name', 'Wilful Melan', []],
    ['a name inside a sentence without spaces', '昨天王小明说了什么？', [['王小明']]],
    ['nobody by one character of such a name', '小猫在哪里？', []],
    ['the asker', 'What did I buy?', [['Melanie', 'user']], { asker: 'Melanie' }],
    ['the asker, in any form', "what's my favourite", [['Caroline', 'user']], { asker: 'Caroline' }],
    ['nobody, where nobody knows who asks', 'What did I buy?', []],
    [
      'the one who is named, though the asker says I',
      'Did I tell Melanie?',
      [['Melanie']],
      { asker: 'Caroline' },
    ],
    ['the assistant', 'What did you recommend?', [['assistant']], { asker: 'Melanie' }],
    [
      'the assistant, though the asker says me',
      'What did you tell me?',
      [['assistant']],
      { asker: 'Melanie' },
    ],
    [
      'the asker who asks for something',
      'Can you list my plants?',
      [['Melanie', 'user']],
      { asker: 'Melanie' },
    ],
    ['nobody, where something is asked for', 'Could you suggest a plant?', [], { asker: 'Melanie' }],
    ['nobody, where nobody is', 'What is clay?', [], { asker: 'Melanie' }],
  ])('%s: %j', (_, ...[text, persons, asker]) => {
    expect(read(text, asker).persons).toEqual(persons)
  })

  test.each([
    ['What did you recommend?', true],
    ['the list you just wrote', true],
    ["Which book have you called the best? You'd named three.", true],
    ['I forgot your second suggestion', true],
    ['What was I told about clay?', true],
    ['What did the assistant say about clay?', true],
    ['What would you recommend?', false],
    ['Can you list what I planted?', false],
    ['Tell me what you need', false],
    ['What did I recommend? Youth?', false],
  ])('what the assistant said: %j %j', (text, is) => expect(read(text).isToAssistant).toBe(is))

  test.each([
    ['How should I water the clay?', true],
    ['Suggest a dinner for guests', true],
    ['What did I water?', false],
    ['When is my flight?', false],
    ['What does Melanie eat for dinner?', false],
  ])('something new, and not what was said: %j %j', (text, is) => expect(read(text).isRequest).toBe(is))

  test.each([
    ['What are the hobbies of my sister?', true],
    ['Which plans did I bring up, in order?', true],
    ['How many films did I see?', true],
    ['Where did I park?', false],
    ['When do I fly?', false],
  ])('many things: %j %j', (text, is) => expect(read(text).isBroad).toBe(is))
})

describe('a question looks for', () => {
  test.each<[string, string, string[], Asker?]>([
    ['its words, not for names and little words', 'What did Melanie do with the children?', ['child']],
    ['each word once', 'camping, camped, CAMPING', ['camp']],
    ['the nearest word, where one has a typo', 'wonderfull potery', ['potteri', 'wonder']],
    ['the nearest word, where letters are swapped', 'mountians', ['mountain']],
    [
      'no other word for one of the language',
      'pottery or lottery',
      ['potteri'],
      { knows: (word) => word === 'lottery' },
    ],
    ['no word for a mistyped little word', 'abuot the wiht pottery', ['potteri']],
    ['no number for another', 'gpt5 1235 pottery', ['potteri']],
    ['no other word for a short one', 'cla pottery', ['potteri']],
    ['a name, where there is nothing else', 'Caroline?', ['carolin']],
    ['a name, where there are only little words beside it', 'What about Caroline?', ['carolin']],
    ['little words, where there is nothing else', 'what about the', ['about', 'the', 'what']],
    [
      'little words, where a day is all that is asked for',
      'what was said in December 2022?',
      ['be', 'in', 'sai', 'what'],
    ],
    ['nothing, where nobody ever spoke of it', 'what about the zyzzyva', [], { knows: () => true }],
    [
      'a name in small letters too, where names have capitals',
      'Did Melanie mark the rose?',
      ['mark', 'rise'],
    ],
    ['no name in small letters, where there are no capitals', 'did rose mark it', ['mark']],
    ['the owner, who may be any', 'the owner of the bakery', ['bakeri', 'owner']],
    ['nothing in nothing', ' ?! ', []],
  ])('%s: %j', (_, ...[text, terms, asker]) => {
    expect(read(text, asker).terms).toEqual(terms)
  })

  test('the rarest words, where there are too many', () => {
    const words = Array.from({ length: 30 }, (_, at) => `word${String.fromCodePoint(97 + at)}x`)
    const index = indexOf(...words.flatMap((word, at) => Array.from({ length: at + 1 }, () => word)))
    const { sought } = readQuestion(index, words.toReversed().join(' '), {})
    expect(sought).toHaveLength(24)
    expect(sought.map(({ count }) => count)).toEqual(Array.from({ length: 24 }, (_, at) => at + 1))
  })

  test('words at the beginning and at the end of a long text', () => {
    const filler = 'and the zebra '.repeat(20_000)
    expect(read(`pottery ${filler} camping`, { knows: () => true }).terms).toEqual(['camp', 'potteri'])
  })
})

describe('a repaired word', () => {
  test('is told once, with the one that was taken', () => {
    const { repaired } = read('potery and potery with Carolne', {})
    expect(repaired).toEqual([
      { typed: 'potery', taken: 'pottery' },
      { typed: 'Carolne', taken: 'caroline' },
    ])
  })

  test('is no word of the language, where somebody knows it', () => {
    expect(read('lottery').repaired).toEqual([{ typed: 'lottery', taken: 'pottery' }])
    expect(read('lottery', { knows: () => true })).toMatchObject({ repaired: [], meaning: 'lottery' })
  })

  test('is looked for so often, and no oftener, though every word is strange', () => {
    const index = indexOf(...talk)
    const asked: string[] = []
    const near = (typed: string) => (asked.push(typed), [])
    const strange = Array.from({ length: 200 }, (_, at) => `${'abcdefghijklmnopqrst'[at % 20]}${at % 7}qxz`)
    const words = strange.map((word) => word.replace(/\d/, (digit) => 'uvwxyzj'[Number(digit)] ?? ''))
    readQuestion({ ...held(index), near }, words.join(' '), {})
    expect(asked).toHaveLength(16)
  })

  test('is the one whose meaning is looked for, and names have none', () => {
    expect(read('Did Caroline lvoe the potery?').meaning).toBe('Did lvoe the pottery')
    expect(read('Abuot clay').meaning).toBe('about clay')
  })
})

describe('a question asks', () => {
  test.each<[string, string]>([
    ['When did we meet?', 'when'],
    ['…when was it', 'when'],
    ['In which year was it?', 'when'],
    ['What day was it?', 'when'],
    ['Since when?', 'when'],
    ['How long ago was it?', 'when'],
    ['How many children are there?', 'how-many'],
    ['So how often was it?', 'how-many'],
    ['What happened when we met?', 'else'],
    ['Which one?', 'else'],
  ])('%j: %s', (text, asks) => {
    expect(read(text).asks).toBe(asks)
  })

  test('about a time, unless a month is somebody there', () => {
    expect(read('Where were we in April?').time).toEqual({ year: null, month: 3, day: null })
    expect(read('Where was April?').time).toBeNull()
    expect(read('Where was June?').time).toEqual({ year: null, month: 5, day: null })
  })
})
