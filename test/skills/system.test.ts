import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { programs, put, putSkill, toolsOf } from './folders.ts'
import { newHome, promptOf, reply, talkIn } from './talk.ts'

const FULL = 'You have access to the following skills. Use them when relevant.\n\n'
const ON_DEMAND =
  'You have skills. When one clearly applies, call read_skill with its name to load its full instructions before using its tools.\n\n## Available skills\n\n'

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function fileIn(home: string, name: string): string {
  return join(home, 'workspace', name)
}

function manySkills(home: string, count: number): void {
  for (let at = 0; at < count; at++)
    putSkill(join(home, 'skills'), nameOf(at), { description: `Thing ${at}`, body: `# Thing\n\nDo ${at}.` })
}

/** Sorted as folders are. */
function nameOf(at: number): string {
  return `s${String(at).padStart(2, '0')}`
}

const full = (at: number): string => `## ${nameOf(at)}\nThing ${at}\n\n# Thing\n\nDo ${at}.\n\n`
const listed = (at: number): string => `- **${nameOf(at)}**: Thing ${at}\n`

function skillPart(mode: string, count: number): string {
  if (count === 0) return ''
  const all = Array.from({ length: count }, (_, at) => (mode === 'full' ? full(at) : listed(at)))
  return (mode === 'full' ? FULL : ON_DEMAND) + all.join('')
}

describe.each(['full', 'readOnDemand'])('[SKILL1] [CTX6] in mode %s', (mode) => {
  test.each([0, 1, 50])(
    'with %i skills, every prompt of every branch begins with the same bytes, after a restart too',
    async (count) => {
      const home = newHome()
      manySkills(home, count)
      put(fileIn(home, 'AGENTS.md'), '\n# You\n\nBe kind. \n\n')
      put(fileIn(home, 'memory.md'), '# Memory\n\n- tea, no sugar\n')
      const set = { 'skills.contextMode': mode }
      const steps = ['One.', 'Two.', 'Three.'].map(reply)
      const talk = await talkIn(home, { steps, set })
      const first = await talk.say('one')
      // What is on the disk meanwhile changes nothing until somebody asks for it.
      put(fileIn(home, 'AGENTS.md'), '# Somebody else\n')
      putSkill(join(home, 'skills'), 'zz', {})
      const second = await talk.say('two')
      await talk.say('/fork')
      const third = await talk.say('three')
      expect(third.branch).not.toBe(second.branch)
      await talk.close()
      put(fileIn(home, 'AGENTS.md'), '# You\n\nBe kind.\n')
      rmSync(join(home, 'skills', 'zz'), { recursive: true })
      const again = await talkIn(home, { steps: [reply('Four.')], set })
      const fourth = await again.say('four')

      const expected = ['# You\n\nBe kind.', '# Memory\n\n- tea, no sugar', skillPart(mode, count)]
        .filter((part) => part !== '')
        .join('\n\n')
      const prompts = [first, second, third, fourth].map(({ turn }) => promptOf(home, turn))
      const systems = (await Promise.all(prompts)).map(({ system }) => system)
      expect(systems[0]).toBe(expected)
      expect(systems.map(hash)).toEqual(Array.from({ length: 4 }, () => hash(expected)))
      const tools = (await Promise.all(prompts)).map((prompt) => JSON.stringify(prompt.tools))
      expect(new Set(tools).size).toBe(1)
      expect(tools[0]?.startsWith('[{"description":"Load the full instructions')).toBe(
        mode === 'readOnDemand' && count > 0,
      )
    },
  )

  test.each<[string, readonly [string | null, string | null], string[]]>([
    ['no AGENTS.md', [null, null], []],
    ['an empty AGENTS.md', [' \n', null], []],
    ['memory.md without a line', ['# You\n', '# Memory\n\nNothing yet.\n'], ['# You']],
    ['memory.md alone', ['', '- tea\n'], ['- tea']],
  ])('%s: what is missing or empty is left out', async (_, [agents, memory], parts) => {
    const home = newHome()
    manySkills(home, 1)
    mkdirSync(join(home, 'workspace'), { recursive: true })
    put(fileIn(home, 'AGENTS.md'), agents ?? 'x')
    const set = { 'skills.contextMode': mode }
    // At the first start it would be made from the template.
    await (await talkIn(home, { set })).close()
    if (agents === null) rmSync(fileIn(home, 'AGENTS.md'))
    if (memory !== null) put(fileIn(home, 'memory.md'), memory)
    const talk = await talkIn(home, { set, steps: [reply('Yes.')] })
    const { turn } = await talk.say('hello')
    expect((await promptOf(home, turn)).system).toBe([...parts, skillPart(mode, 1)].join('\n\n'))
  })
})

test('[SKILL1] a SKILL.md with a byte order mark, CRLF or no front matter is read as its rules say', async () => {
  const home = newHome()
  const skills = join(home, 'skills')
  put(fileIn(home, 'AGENTS.md'), '')
  put(
    join(skills, 'a', 'SKILL.md'),
    '\uFEFF---\r\nname: a\r\ndescription: First\r\n---\r\n\r\nLine 1\r\nLine 2\r\n',
  )
  put(join(skills, 'b', 'SKILL.md'), '\n---\nname: x\n---\nbody\n')
  put(join(skills, 'c', 'SKILL.md'), '---\nname: c\ndescription: Third\n--- \nnever closed\n')
  put(join(skills, 'd', 'SKILL.md'), '---\ndescription: Fourth\n---\nabove\n---\nbelow\n')
  const talk = await talkIn(home, { steps: [reply('Yes.')] })
  const { turn } = await talk.say('hello')
  expect((await promptOf(home, turn)).system).toBe(
    [
      FULL,
      '## a\nFirst\n\nLine 1\r\nLine 2\n\n',
      '## b\n\n---\nname: x\n---\nbody\n\n\n',
      '## c\n---\nname: c\ndescription: Third\n--- \nnever closed\n\n\n',
      '## d\nFourth\n\nabove\n---\nbelow\n\n',
    ].join(''),
  )
})

test('[SKILL1] what cannot be loaded is said at the start with its reason, and harms no other', async () => {
  const home = newHome()
  const skills = join(home, 'skills')
  put(fileIn(home, 'AGENTS.md'), '')
  put(join(skills, 'broken', 'SKILL.md'), '---\nname: [\n---\n')
  put(join(skills, 'bytes', 'SKILL.md'), '\0\0\0')
  putSkill(skills, 'fine', { description: 'Fine', body: 'All is well.' })
  putSkill(skills, 'shell', { tools: toolsOf('bash', { run: [] }) })
  const talk = await talkIn(home, { steps: [reply('Yes.')] })
  expect(talk.warnings).toEqual([
    expect.stringMatching(/^The skill 'broken' is not loaded: .*line \d+: /),
    expect.stringMatching(
      /^The skill 'bytes' is not loaded: .*SKILL\.md is not text: it contains a NUL byte\. /,
    ),
    expect.stringMatching(/^The skill 'shell' is not loaded: .*bash is a shell/),
  ])
  const { turn } = await talk.say('hello')
  expect((await promptOf(home, turn)).system).toBe(`${FULL}## fine\nFine\n\nAll is well.\n\n`)
})

describe('/reload', () => {
  test('shows what was added, changed and removed of AGENTS.md, memory.md, skills and tools, and the next prompt has it', async () => {
    const home = newHome()
    const skills = join(home, 'skills')
    put(fileIn(home, 'AGENTS.md'), '# You\n\nBe kind.\n')
    put(fileIn(home, 'memory.md'), '- tea\n')
    putSkill(skills, 'going', { body: 'Leave soon.', tools: toolsOf('office', { leave: ['when'] }) })
    putSkill(skills, 'staying', { body: 'As before.', tools: toolsOf('office', { stay: ['where'] }) })
    const path = programs({ office: 'console.log(1)' })
    const talk = await talkIn(home, { path, steps: [reply('One.'), reply('Two.')] })
    const before = await talk.say('one')
    expect((await talk.say('/reload')).texts).toEqual(['Reloaded. Nothing changed.'])

    put(fileIn(home, 'memory.md'), '- coffee\n')
    rmSync(join(skills, 'going'), { recursive: true })
    putSkill(skills, 'coming', { body: 'Arrive.', tools: toolsOf('office', { arrive: [] }) })
    putSkill(skills, 'staying', {
      body: 'Another way.',
      tools: toolsOf('office', { stay: ['where', 'why'] }),
    })
    put(join(skills, 'broken', 'SKILL.md'), '---\nname: [\n---\n')
    const [told = ''] = (await talk.say('/reload')).texts
    const lines = told.split('\n')
    expect(lines[0]).toBe('Reloaded. 1 skill added: coming. 1 skill removed: going. What changed:')
    expect(lines.filter((line) => /^[-+~] \S/.test(line))).toEqual([
      '- - tea',
      '+ - coffee',
      '- ## going',
      '- What going is for',
      '+ ## coming',
      '+ What coming is for',
      '- Leave soon.',
      '+ Arrive.',
      '- As before.',
      '+ Another way.',
      '- tool leave',
      '+ tool arrive',
      '~ tool stay',
    ])
    expect(lines.at(-1)).toMatch(/^The skill 'broken' is not loaded: .*SKILL\.md, line \d+: /)

    const after = await talk.say('two')
    const [old, now] = [await promptOf(home, before.turn), await promptOf(home, after.turn)]
    expect(old.system).toContain('Leave soon.')
    expect(now.system).not.toContain('Leave soon.')
    expect(now.system).toContain('Arrive.')
    expect(now.tools.map(({ name }) => name).slice(-2)).toEqual(['arrive', 'stay'])
    expect((await talk.events()).filter(({ kind }) => kind === 'setup-changed')).toHaveLength(2)
  })

  test('where AGENTS.md cannot be read nothing is reloaded, and tools are what they were', async () => {
    const home = newHome()
    putSkill(join(home, 'skills'), 'desk', { tools: toolsOf('office', { stamp: [] }) })
    const talk = await talkIn(home, { path: programs({ office: '' }) })
    rmSync(fileIn(home, 'AGENTS.md'))
    mkdirSync(fileIn(home, 'AGENTS.md'))
    rmSync(join(home, 'skills', 'desk'), { recursive: true })
    const told = await talk.say('/reload')
    expect(told.isFailed).toBe(true)
    expect(told.texts[0]).toMatch(
      /^Not reloaded: .*AGENTS\.md is a folder, not a file.*The old text stays in use\.$/,
    )
    expect((await talk.say('/tools stamp')).texts[0]).toMatch(/^stamp \(skill desk\): refused\n/)
  })

  test('what a person remembers by /remember stands in memory.md, in /memory and in the next prompt', async () => {
    const home = newHome()
    const talk = await talkIn(home, { steps: [reply('Yes.')] })
    expect((await talk.say('/remember My dentist is   Dr. Ono.')).texts).toEqual([
      'Remembered: My dentist is Dr. Ono.',
    ])
    expect(readFileSync(fileIn(home, 'memory.md'), 'utf8')).toBe('# Memory\n\n- My dentist is Dr. Ono.\n')
    expect((await talk.say('/memory')).texts[0]).toMatch(/^ {2}\d{4}-\d\d-\d\d {2}My dentist is Dr\. Ono\.$/m)
    const { turn } = await talk.say('hello')
    expect((await promptOf(home, turn)).system).toMatch(/\n\n# Memory\n\n- My dentist is Dr\. Ono\.$/)
  })

  test('a memory.md that cannot be read is said, and everything else goes on', async () => {
    const home = newHome()
    mkdirSync(fileIn(home, 'memory.md'), { recursive: true })
    put(fileIn(home, 'AGENTS.md'), '# You')
    const talk = await talkIn(home, { steps: [reply('Yes.')] })
    expect(talk.warnings).toEqual([expect.stringMatching(/^memory\.md is left out: /)])
    const { turn } = await talk.say('hello')
    expect((await promptOf(home, turn)).system).toBe('# You')
  })
})
