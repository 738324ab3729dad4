import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonIn, parseFrontMatter, splitFrontMatter } from './front-matter.ts'
import { readSkillFields } from '../skill/skill-fields.ts'
import { rounds } from '../../test/rounds.ts'

describe('front matter', () => {
  test.each([
    ['---\nname: a\n---\nbody\n', 'name: a\n', 'body'],
    ['---\r\nname: a\r\n---\r\nbody\r\nmore\r\n', 'name: a\r\n', 'body\r\nmore'],
    ['\uFEFF---\nname: a\n---\nbody', 'name: a\n', 'body'],
    ['---\nname: a\n---', 'name: a\n', ''],
    ['---\nname: a\n---\r', 'name: a\n', ''],
    ['---\n---\nbody', '', 'body'],
    ['---\na\n---\n\n\n  body  \n\n---\nnot the end\n', 'a\n', 'body  \n\n---\nnot the end'],
    ['---\n----\n --- \n--- x\n---\nbody', '----\n --- \n--- x\n', 'body'],
  ])('is what stands between the two lines: %j', (content, matter, body) =>
    expect(splitFrontMatter(content)).toEqual({ matter, body }),
  )

  test.each([
    '',
    'body',
    '---',
    '---\n',
    '---\nname: a\n',
    '---\nname: a\n----\n',
    '---\nname: a\n --- \n',
    '---\nname: a\n---x',
    '\n---\nname: a\n---\nbody',
    ' ---\nname: a\n---\nbody',
    '--- \nname: a\n---\nbody',
    '----\nname: a\n---\nbody',
    'text\n---\nname: a\n---\n',
    '\uFEFFbody \r\n',
    '---\rname: a\r---\rbody',
    '---\na\u2028---\u2028body',
  ])('is stripped only between such lines; without them the content is unchanged: %j', (content) =>
    expect(splitFrontMatter(content)).toEqual({ matter: null, body: content }),
  )

  const piece = fc.constantFrom(
    '---',
    '--',
    '-',
    '\n',
    '\r\n',
    '\r',
    '\uFEFF',
    ' ',
    'a: b',
    'x',
    '\u2028',
    '',
    '"',
    ': ',
  )
  const anyContent = fc.oneof(
    fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join('')),
    fc.string({ unit: 'binary' }),
  )

  test('is found where a reader of lines finds it, and loses no byte where there is none', () =>
    fc.assert(
      fc.property(anyContent, (content) => {
        expect(splitFrontMatter(content)).toEqual(naiveSplit(content))
      }),
      { numRuns: rounds(3_000) },
    ))

  test('of any content makes a skill or a problem with a line of the file, and never throws', () =>
    fc.assert(
      fc.asyncProperty(anyContent, fc.boolean(), async (content, isMatter) => {
        const whole = isMatter ? `---\n${content}\n---\nbody` : content
        const read = await readSkillFields(whole, 'folder')
        if (!('because' in read)) return
        expect(read.because).not.toBe('')
        if (read.line === null) return
        expect(read.line).toBeGreaterThan(1)
        expect(read.line).toBeLessThanOrEqual(whole.split('\n').length)
      }),
      { numRuns: rounds(1_000) },
    ))
})

function naiveSplit(content: string): { matter: string | null; body: string } {
  const lines = content.replace(/^\uFEFF/, '').split('\n')
  const plain = lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  const end = plain.indexOf('---', 1)
  if (plain[0] !== '---' || end < 0) return { matter: null, body: content }
  const matter = lines.slice(1, end).map((line) => `${line}\n`)
  return {
    matter: matter.join(''),
    body: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  }
}

async function valueOf(matter: string): Promise<unknown> {
  const parsed = await parseFrontMatter(matter)
  if ('because' in parsed) return parsed
  return Object.fromEntries(Array.from(parsed.fields, ([key, { value }]) => [key, value]))
}

describe('YAML', () => {
  test('gives texts as they are written, and no numbers or dates', async () =>
    expect(await valueOf('a: 1.10\nb: true\nc:\nd: 2026-01-01\ne: "x: y"\nf: [g, {h: i}]\n')).toEqual({
      a: '1.10',
      b: 'true',
      c: '',
      d: '2026-01-01',
      e: 'x: y',
      f: ['g', { h: 'i' }],
    }))

  test.each(['', '\n', '# nothing\n'])('of nothing has no fields: %j', async (matter) =>
    expect(await valueOf(matter)).toEqual({}),
  )

  test.each([
    ['name: a\ndescription: "b\n', 3],
    ['- a\n- b\n', 2],
    ['name: a\nx: *nothing\n', 3],
    ['x: @a\n', 2],
    ['a: 1\nb: 2\n\tc: 3\n', 4],
  ])('that is wrong is refused with its line in the file: %j', async (matter, line) => {
    expect(await valueOf(matter)).toEqual({ line, because: expect.stringMatching(/.../) })
  })

  test('may name a key twice: the last one counts, with a warning', async () => {
    const read = await parseFrontMatter('name: a\nname: b\n')
    if ('because' in read) throw new Error(read.because)
    expect(read.fields.get('name')).toEqual({ value: 'b', line: 3 })
    expect(read.warnings).toEqual(['Given twice, and the last one counts: name.'])
  })

  test.each([
    ['blanks', `description:${' '.repeat(60_000)}: : x\n  y: : [\n`],
    ['keys', Array.from({ length: 20_000 }, (_, n) => `k${n}: v`).join('\n')],
  ])('[SKILL1] that is too long is refused at once, whatever it holds: %s', async (_, matter) => {
    expect(await parseFrontMatter(matter)).toEqual({
      line: 2,
      because: `the front matter is too long: ${matter.length} characters, of 16384 at most`,
    })
  })

  test.each([
    ['blanks', `description:${' '.repeat(16_000)}: : x\n  y: : [\n`],
    ['tabs', `description:${'\t'.repeat(16_000)}x: y: z\n  y: : [\n`],
    ['keys', Array.from({ length: 1_800 }, (_, n) => `k${n}: v`).join('\n')],
    ['depth', `x: ${'['.repeat(16_000)}`],
    ['lists', `x:\n ${'- '.repeat(8_000)}`],
  ])('[SKILL1] of any kind is read in a moment, or refused: %s', async (_, matter) => {
    await parseFrontMatter('name: a')
    await parseFrontMatter(matter)
  })

  test('that would fill the memory, or is nested without end, is refused', async () => {
    const names = 'abcdefgh'.split('')
    const bomb = names.map((name, index) => {
      const before = names[index - 1]
      return `${name}: &${name} [${Array.from({ length: 9 }, () => (before === undefined ? 'x' : `*${before}`)).join(', ')}]`
    })
    expect(await valueOf(bomb.join('\n'))).toHaveProperty('because')
    expect(await valueOf(`a: ${'['.repeat(8_000)}${']'.repeat(8_000)}`)).toHaveProperty('because')
    // Read or refused, as deep as the stack allows, but at once.
    const keys = `b: 1\na:\n  ${'? '.repeat(600)}x`
    expect(await parseFrontMatter(keys)).toBeDefined()
    expect([1, undefined]).toContain(await jsonIn(keys, 'b'))
    expect(await valueOf(`a: ${'x'.repeat(16 * 1_024)}`)).toHaveProperty(
      'because',
      expect.stringContaining('too long'),
    )
  })

  test.each([
    [
      'name: a\ndescription: Writes notes. Use when: asked # or not\nlicense: MIT\n',
      'Writes notes. Use when: asked # or not',
    ],
    ['name: a\r\ndescription: Use when: "asked"\r\n', 'Use when: "asked"'],
    ['description: @person likes it', '@person likes it'],
  ])(
    'with a description that lacks its quotes is taken as it is meant, with a warning: %j',
    async (matter, text) => {
      const parsed = await parseFrontMatter(matter)
      expect(parsed).toMatchObject({ warnings: [expect.stringContaining('put it in quotes')] })
      expect('fields' in parsed && parsed.fields.get('description')?.value).toBe(text)
    },
  )

  test('whose fault lies elsewhere is refused with the line of that fault', async () =>
    expect(await valueOf('description: Use when: asked\nname: "a\n')).toMatchObject({ line: 2 }))
})
