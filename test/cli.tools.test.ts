import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { StepInput } from '../src/model/scripted.ts'
import { builtInNames } from '../src/runtime/home/home-skills.ts'
import { addShipped, programs, put, putSkill, toolsOf } from './skills/folders.ts'
import { call, newHome, reply, resultsIn, talkIn, type Talk } from './skills/talk.ts'

const OFFICE = 'console.log(process.argv.slice(2).join("|"))'

/** A conversation with a skill `desk` whose tools `file` and `stamp` run a program that says its words. */
async function deskTalk(
  steps: readonly StepInput[] = [],
  { home = newHome(), set = {} }: { home?: string; set?: Record<string, string> } = {},
): Promise<Talk> {
  putSkill(join(home, 'skills'), 'desk', { tools: toolsOf('office', { file: ['what'], stamp: ['what'] }) })
  return talkIn(home, { steps, set, path: programs({ office: OFFICE }) })
}

async function said(talk: Talk, text: string): Promise<string> {
  const { texts, isFailed } = await talk.say(text)
  return `${isFailed ? 'refused: ' : ''}${texts.join('\n')}`
}

const fenced = (text: string): string => `<data source="SKILL-TOOL">\n${text}\n\n</data>`

describe('/tools', () => {
  test('lists what the model can do in the order of the prompt, with what would become of a call', async () => {
    const talk = await deskTalk()
    await said(talk, '/allow file(file --what a*)')
    await said(talk, '/allow stamp')
    const text = await said(talk, '/tools')
    const lines = text.split('\n')
    expect(lines[0]).toBe('Tools (permissions: dontAsk).')
    const listed = lines.filter((line) => line.startsWith('  ')).map((line) => line.trim().split(/\s+/)[0])
    expect(listed).toEqual([...builtInNames.filter((name) => name !== 'web_search'), 'file', 'stamp'])
    expect(text).toMatch(/^ {2}write +runs +Make or replace a Markdown file of your workspac…$/m)
    expect(text).toMatch(/^Skill desk, 2 tools:$/m)
    expect(text).toMatch(/^ {2}file +refused, but file\(file --what a\*\) runs +Does file$/m)
    expect(text).toMatch(/^ {2}stamp +allowed +Does stamp$/m)
    expect(lines.at(-1)).toBe(
      '/tools NAME shows one, /allow PATTERN allows it, /permissions changes the mode.',
    )
  })

  test('in mode default it says of which it would ask', async () => {
    const talk = await deskTalk([], { set: { permissions: 'default' } })
    const text = await said(talk, '/tools')
    expect(text).toMatch(/^ {2}read +runs /m)
    expect(text).toMatch(/^ {2}write +asks /m)
    expect(text).toMatch(/^ {2}web_fetch +asks /m)
    expect(text).toMatch(/^ {2}file +asks /m)
  })

  test('NAME shows all about one, and a name that nobody has is answered with the nearest', async () => {
    const talk = await deskTalk()
    expect(await said(talk, '/tools file')).toBe(
      [
        'file (skill desk): refused',
        'Does file',
        JSON.stringify({ type: 'object', properties: { what: { type: 'string' } } }, null, 2),
      ].join('\n'),
    )
    expect(await said(talk, '/tools fiel')).toBe("refused: There is no tool 'fiel'. Did you mean file?")
    expect(await said(talk, '/tools zzzzzz')).toBe("refused: There is no tool 'zzzzzz'. /tools lists them.")
  })
})

describe('/skills', () => {
  test('lists the same as the command line, from what is loaded now', async () => {
    const talk = await deskTalk()
    const text = await said(talk, '/skills')
    expect(text.split('\n').slice(0, 4)).toEqual([
      'Skills:',
      '  desk  loaded: What desk is for',
      '    tools: file, stamp',
      'Bundled; add one with "mainstem skills add NAME" and /reload:',
    ])
    await addShipped(talk.home, 'notes')
    expect(await said(talk, '/skills')).toBe(text)
    await said(talk, '/reload')
    expect(await said(talk, '/skills')).toContain('  notes  loaded: Keep notes')
  })

  test('allow NAME allows all tools of a skill as they are, and says so where there is nothing to allow', async () => {
    const talk = await deskTalk([call('file', { what: 'a' }), reply('Filed.')])
    await addShipped(talk.home, 'notes')
    await said(talk, '/reload')
    expect(await said(talk, '/skills allow desk')).toBe('Allowed: file, stamp (skill desk).')
    expect(await said(talk, '/allow desk')).toBe('Allowed: file, stamp (skill desk).')
    expect(await said(talk, '/skills allow notes')).toBe('notes has no tools, so there is nothing to allow.')
    expect(await said(talk, '/skills allow nope')).toBe(
      "refused: There is no skill 'nope'. /skills lists them.",
    )
    const told = await talk.say('File it')
    expect(await resultsIn(talk.home, told.turn)).toEqual([{ tool: 'file', text: fenced('file|--what|a') }])
  })

  test('allow takes a name with blanks in it', async () => {
    const home = newHome()
    const folder = putSkill(join(home, 'skills'), 'deck', { tools: toolsOf('office', { shuffle: [] }) })
    put(join(folder, 'SKILL.md'), '---\nname: Card Deck\ndescription: Cards\n---\nx\n')
    const talk = await talkIn(home, { path: programs({ office: OFFICE }) })
    expect(await said(talk, '/skills allow Card Deck')).toBe('Allowed: shuffle (skill Card Deck).')
  })
})

describe('[TOOL1] what a skill brings runs after somebody allowed it', () => {
  test('refused before, with what to type; run after /allow; refused again after /disallow; all of it in the log', async () => {
    const again = [call('file', { what: 'a' }), reply('Well.')]
    const talk = await deskTalk([...again, ...again, ...again])
    const before = await talk.say('File it')
    expect(before.texts).toEqual([
      'file (skill desk) was refused: nobody has allowed it yet. /allow file allows it.',
      'Well.',
    ])
    expect(await resultsIn(talk.home, before.turn)).toEqual([
      {
        tool: 'file',
        error:
          "'file' (skill desk) was not run: nobody has allowed it yet. The person can allow it by typing /allow file. Do without it, or tell them.",
      },
    ])
    expect(await said(talk, '/allow file')).toBe('Allowed: file (skill desk). /disallow file undoes it.')
    const after = await talk.say('File it')
    expect(after.texts).toEqual(['Well.'])
    expect(await resultsIn(talk.home, after.turn)).toEqual([{ tool: 'file', text: fenced('file|--what|a') }])
    expect(await said(talk, '/disallow file')).toBe('No longer allowed: file.')
    expect((await talk.say('File it')).texts).toHaveLength(2)
    const decided = (await talk.events()).filter((event) => event.kind === 'call-decided')
    expect(decided.map(({ verdict, because, pattern }) => [verdict, because, pattern])).toEqual([
      ['refused', 'not-allowed', null],
      ['allowed', 'granted', 'file'],
      ['refused', 'not-allowed', null],
    ])
  })

  test('a pattern with a glob allows what fits it, and nothing beside', async () => {
    const talk = await deskTalk([
      {
        calls: [
          { tool: 'file', args: { what: 'letters' } },
          { tool: 'file', args: { what: 'taxes' } },
          { tool: 'stamp', args: { what: 'letters' } },
        ],
      },
      reply('Done.'),
    ])
    expect(await said(talk, '/allow file(file --what let*)')).toMatch(/^Allowed: file\(file --what let\*\)/)
    const told = await talk.say('File them')
    const results = await resultsIn(talk.home, told.turn)
    expect(results.map(({ text }) => text)).toEqual([fenced('file|--what|letters'), undefined, undefined])
  })

  test('what was allowed ends when the tool becomes another one, after a restart too', async () => {
    const home = newHome()
    const first = await deskTalk([], { home })
    await said(first, '/allow file')
    await first.close()
    const folder = join(home, 'skills', 'desk')
    const changed = readFileSync(join(folder, 'tools.json'), 'utf8').replaceAll('"what"', '"which"')
    put(join(folder, 'tools.json'), changed)
    const talk = await talkIn(home, {
      path: programs({ office: OFFICE }),
      steps: [call('file', { which: 'a' }), reply('Hm.')],
    })
    expect(await said(talk, '/allow')).toContain('  file (skill desk)  (changed since: allow it again)')
    expect(await said(talk, '/tools file')).toMatch(
      /^file \(skill desk\): refused: changed since it was allowed\n/,
    )
    expect((await talk.say('File it')).texts).toEqual([
      'file (skill desk) was refused: it has changed since it was allowed. /allow file allows it.',
      'Hm.',
    ])
  })

  test.each([
    ['/allow nope', "refused: There is no tool 'nope'."],
    ['/allow fiel', "refused: There is no tool 'fiel'. Did you mean file?"],
    [
      '/allow web_fetch(example.com)',
      "refused: No address begins with 'example.com'. Did you mean /allow web_fetch(https://example.com/*)?",
    ],
    ['/allow file(', 'refused: '],
    ['/disallow stamp', "refused: 'stamp' is not allowed. /allow lists what is allowed."],
    ['/allow', 'Nothing is allowed yet. /tools shows what may run anyway; /allow PATTERN allows more.'],
  ])('%s is answered and allows nothing', async (text, answer) => {
    const talk = await deskTalk()
    expect((await said(talk, text)).startsWith(answer)).toBe(true)
    expect((await talk.events()).map(({ kind }) => kind)).not.toContain('permission-granted')
  })
})

test('[SAFE4] what a model wants remembered waits for the person, and is remembered in their words', async () => {
  const talk = await deskTalk([call('remember', { line: 'Likes tea' }), reply('I asked.'), reply('Good.')])
  const told = await talk.say('I like tea')
  expect(told.texts.at(-1)).toBe('I asked.')
  expect(told.texts[0]).toMatch(/^Remember this\? \(approval 1\)\n\+ Likes tea\n/)
  expect(await said(talk, '/approvals')).toContain('1')
  expect(await said(talk, '/approve 1 Likes green tea')).toBe('Remembered: Likes green tea')
  expect(readFileSync(join(talk.home, 'workspace', 'memory.md'), 'utf8')).toBe(
    '# Memory\n\n- Likes green tea\n',
  )
  expect(await said(talk, '/approve 1')).toBe('refused: Approval 1 was already answered: approved.')
})
