import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Talk } from '../../../test/recall-search/said.ts'
import { openVectors, documentPlaces } from '../vector/sqlite-vectors.ts'
import { staticEncoder } from '../vector/static-encoder.ts'
import { VectorFollower } from '../vector/vector-follower.ts'
import { termsOf } from '../words/words.ts'
import { rounds } from '../../../test/rounds.ts'

const LONG = 1_000_000

/** People talk of many things, and all of it is indexed, with its meaning. */
async function talkOf(...texts: string[]): Promise<Talk> {
  const embedder = staticEncoder()
  let talk: Talk | undefined
  const places = () => documentPlaces((talk as Talk).index)()
  const vectors = openVectors({ place: 'memory', embedder, places })
  talk = new Talk({ embedder, vectors })
  await talk.say('the weather is fine', ...texts, 'see you tomorrow')
  await new VectorFollower({ log: talk.log, index: talk.index, vectors, embedder }).catchUp()
  return talk
}

const PIECES = String.raw`" ' * ( ) OR AND NOT NEAR( ^ : - + { } \ % _ ;DROP [a-z]+ (?: $1 '-- /* <b> null 2023-99-99 0x`
const STRANGE = [
  '\0',
  '\n',
  '\ud800',
  '\udc00',
  '\u202e',
  '__proto__',
  'constructor',
  '＇',
  '½',
  'é',
  'e\u0301',
]
const SCRIPTS = ['😀', '👩‍💻', '猫', 'ไทย', 'مرحبا', '학교']
const pieces = fc.constantFrom(...PIECES.split(' '), ...STRANGE, ...SCRIPTS)

describe('[RECALL3] no text is an instruction to a search:', () => {
  test('any question finds a message by a word of it, whatever stands around that word', async () => {
    const talk = await talkOf('we bought a xylophone')
    const around = fc.array(fc.oneof(pieces, fc.string({ unit: 'binary', maxLength: 8 })), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(around, around, async (before, after) => {
        const question = `${before.join(' ')} xylophone ${after.join(' ')}`
        const texts = await talk.textsFor(question)
        expect(texts).toContain('we bought a xylophone')
      }),
      { numRuns: rounds(200) },
    )
  })

  test('any message is found by its own text', async () => {
    const anything = fc.oneof(
      fc.array(pieces, { minLength: 1, maxLength: 8 }).map((some) => some.join(' ')),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    )
    await fc.assert(
      fc.asyncProperty(anything, async (text) => {
        const talk = new Talk()
        await talk.say('something else', text, 'and another thing')
        const found = await talk.textsFor(text)
        expect(found.includes(text)).toBe(termsOf(text).length > 0)
      }),
      { numRuns: rounds(200) },
    )
  })

  test.each([
    ['FTS syntax', 'lamp* NEAR(tent, 2) AND "rose" OR -clay', 'a lamp'],
    ['an open quote', '"lamp', 'a lamp'],
    ['SQL', `lamp'; DROP TABLE term; --`, 'a lamp'],
    ['a pattern', '.*(lamp|(?<x>tent))+$', 'a lamp'],
    ['a NUL', 'lamp\0tent', 'a lamp'],
    ['half a character', '\ud83d lamp \ude00', 'a lamp'],
    ['emoji', '😀', 'so glad 😀'],
    ['joined emoji', '👩‍💻?', 'at work 👩‍💻'],
    ['names of JavaScript', 'constructor __proto__ toString', 'the constructor of the house'],
  ])('%s is looked for as words', async (_, question, expected) => {
    const talk = await talkOf('a lamp', 'so glad 😀', 'at work 👩‍💻', 'the constructor of the house')
    expect((await talk.textsFor(question))[0]).toBe(expected)
  })

  test.each([
    ['Chinese', '我昨天在图书馆借了三本书', '图书馆在哪里？'],
    ['Chinese, by one character', '我的猫很可爱', '猫'],
    ['Japanese', '昨日は図書館で本を借りました', '図書館'],
    ['Japanese in Kana', 'ねこがすきです', 'ねこはどこ？'],
    ['Korean', '어제 도서관에서 책을 빌렸어요', '도서관'],
    ['Korean with an ending', '학교에 갔어요', '학교는 어디예요?'],
    ['Thai', 'เมื่อวานฉันไปห้องสมุดกับเพื่อน', 'ห้องสมุด'],
    ['Arabic', 'ذهبت إلى المكتبة أمس', 'المكتبة'],
    ['Arabic with its vowels', 'ذهبت إلى المكتبة أمس', 'المَكْتَبَة'],
    ['Hebrew', 'הלכתי לספרייה אתמול', 'לספרייה'],
    ['Hindi', 'मैं कल पुस्तकालय गया', 'पुस्तकालय कहाँ है'],
    ['Russian', 'Вчера я ходил в библиотеку', 'библиотеку'],
    ['Greek', 'Πήγα στη βιβλιοθήκη', 'ΒΙΒΛΙΟΘΗΚΗ'],
    ['Turkish', 'Dün kütüphaneye gittim', 'kutuphaneye'],
  ])('%s is found by its own words', async (_, text, question) => {
    const talk = await talkOf(
      '你好，今天天气很好',
      'こんにちは',
      '안녕하세요',
      'สวัสดีครับ',
      'مرحبا',
      text,
      'Привет',
    )
    expect((await talk.textsFor(question))[0]).toBe(text)
  })
})

const letters = (at: number) =>
  String.fromCodePoint(...[7, 31, 131, 17, 3].map((by) => 97 + ((at * by) % 26)))

describe('[RECALL3] a question of a million characters is answered at once:', () => {
  const parts = [
    ' ',
    'a',
    'lamp ',
    'zq',
    '\0',
    '"',
    '\ud800',
    '😀',
    '猫',
    'ไ',
    'ا',
    "a'",
    '1 ',
    'may ',
    'in -',
    '?',
    'é',
    '가',
    'e\u0301',
  ]
  test.each([...parts, 'random words', 'mistyped words'])('%j', async (part) => {
    const talk = await talkOf('a xylophone and a lamp')
    const word = (at: number) =>
      part === 'random words' ? `${letters(at)} ` : `xylophon${letters(at)[0]}${letters(at)[3]} `
    const text = part.endsWith('words')
      ? Array.from({ length: LONG / 10 }, (_, at) => word(at)).join('')
      : part.repeat(LONG / part.length)
    const found = await talk.textsFor(`xylophone ${text}`)
    expect(found[0]).toBe('a xylophone and a lamp')
    expect(await talk.textsFor(`${text} xylophone`)).toContain('a xylophone and a lamp')
  })
})
