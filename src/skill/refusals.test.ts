import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { load, skillMd } from '../../test/fixtures/skills/skill-tree.ts'

type Files = Parameters<typeof load>[0]
type Prepare = (root: string) => void

/** The error about the refused skill, with `fine` loaded beside it. */
async function reason(files: Files, prepare: Prepare = () => undefined) {
  const { outcomes, names } = await load({ 'one/fine/SKILL.md': 'fine', ...files }, { prepare })
  expect(names).toEqual(['fine'])
  const others = outcomes.filter(([, state]) => state !== 'loaded')
  expect(others).toEqual([[expect.anything(), 'refused', expect.anything()]])
  return others[0]?.[2]
}

const makeFolder: Prepare = (root) => void mkdirSync(join(root, 'one/bad/SKILL.md'), { recursive: true })

function linkTo(target: string): Prepare {
  return (root) => {
    mkdirSync(join(root, 'one/bad'), { recursive: true })
    symlinkSync(target, join(root, 'one/bad/SKILL.md'))
  }
}

function lock(path: string): Prepare {
  return (root) => chmodSync(join(root, path), 0)
}

function withTools(content: string | Uint8Array): Files {
  return { 'one/bad/SKILL.md': 'x', 'one/bad/tools.json': content }
}

describe('[SKILL1] a skill is refused alone, with the reason', () => {
  const FIT = 'A SKILL.md is a UTF-8 text of up to 256 KiB; longer texts can stand in files beside it.'

  test('when SKILL.md is no file', async () => {
    expect(await reason({}, makeFolder)).toBe(`/one/bad/SKILL.md is a folder, not a file. ${FIT}`)
  })

  test('when SKILL.md is a link to nothing or to itself', async () => {
    expect(await reason({}, linkTo('nothing'))).toBe(
      `/one/bad/SKILL.md cannot be read (ENOENT: no such file or directory). ${FIT}`,
    )
    expect(await reason({}, linkTo('SKILL.md'))).toContain('cannot be read (ELOOP')
    expect(await reason({}, linkTo('/dev/zero'))).toContain('/one/bad/SKILL.md is a device, not a file.')
  })

  test('when SKILL.md is larger than 256 KiB, and not when it has just as much', async () => {
    const bytes = 256 * 1024
    expect(await reason({ 'one/bad/SKILL.md': 'x'.repeat(bytes + 1) })).toBe(
      `/one/bad/SKILL.md is larger than 256 KiB. ${FIT}`,
    )
    expect((await load({ 'one/big/SKILL.md': 'x'.repeat(bytes) })).skills[0]?.body).toHaveLength(bytes)
  })

  test('when SKILL.md is no UTF-8', async () =>
    expect(await reason({ 'one/bad/SKILL.md': Uint8Array.of(0x61, 0xff, 0xfe) })).toBe(
      `/one/bad/SKILL.md is not UTF-8 text. ${FIT}`,
    ))

  test('when this user may not read SKILL.md, or its folder', async () => {
    const files = { 'one/bad/SKILL.md': 'x' }
    expect(await asNobody(() => reason(files, lock('one/bad/SKILL.md')))).toBe(
      `/one/bad/SKILL.md cannot be read (EACCES: permission denied). ${FIT}`,
    )
    expect(await asNobody(() => reason(files, lock('one/bad')))).toBe(
      '/one/bad cannot be read (EACCES: permission denied). Make it readable, or move it away.',
    )
  })

  test('when its front matter is wrong, with the line', async () => {
    expect(await reason({ 'one/bad/SKILL.md': '---\nname: bad\nx: "y\n---\n' })).toBe(
      '/one/bad/SKILL.md, line 3: Missing closing "quote.',
    )
    expect(await reason({ 'one/bad/SKILL.md': skillMd('name: ../../x') })).toMatch(
      /^\/one\/bad\/SKILL\.md, line 2: '\.\.\/\.\.\/x' is not a valid skill name\. .+ a digit or _\.$/,
    )
  })

  test('when programs that it needs are missing', async () =>
    expect(
      await reason({ 'one/bad/SKILL.md': skillMd('metadata: {requires: {bins: [known-a, b, ./c]}}') }),
    ).toBe('It needs b, ./c, not found in PATH: install what is missing.'))

  test('when its tools.json is wrong', async () => {
    expect(await reason(withTools('{}'))).toBe('/one/bad/tools.json: a list is needed.')
    expect(await reason(withTools(Uint8Array.of(0xff)))).toBe('/one/bad/tools.json is not UTF-8 text.')
    expect(await reason(withTools('["one", "recall"]'))).toBe(
      '/one/bad/tools.json: recall is a built-in tool already, or will be one. Give the tool of this skill another name.',
    )
  })

  test('when another of the same directory has its name', async () => {
    const { outcomes, skills } = await load({ 'one/a/SKILL.md': 'a', 'one/b/SKILL.md': skillMd('name: a') })
    expect(skills).toMatchObject([{ name: 'a', body: 'a' }])
    expect(outcomes).toEqual([
      ['a', 'loaded', null],
      ['a', 'refused', '/one/a in the same directory is called a too: rename one of them.'],
    ])
  })

  test('when it defines a tool that an earlier one has', async () => {
    const { outcomes, names } = await load({
      'one/a/SKILL.md': 'a',
      'one/a/tools.json': '["x", "y"]',
      'one/b/SKILL.md': 'b',
      'one/b/tools.json': '["z", "y"]',
      'two/c/SKILL.md': 'c',
      'two/c/tools.json': '["z"]',
    })
    expect(names).toEqual(['a', 'c'])
    expect(outcomes[1]).toEqual([
      'b',
      'refused',
      'The tool y is defined by the skill a and by the skill b: rename it in the tools.json of one of them, or add one of them to skills.disabled.',
    ])
  })

  test('and one that was replaced or disabled defines no tools', async () => {
    const files = {
      'one/a/SKILL.md': 'a',
      'one/a/tools.json': '["x"]',
      'one/b/SKILL.md': 'b',
      'one/b/tools.json': '["x"]',
    }
    expect((await load(files, { disabled: ['a'] })).outcomes).toEqual([
      ['a', 'disabled', 'skills.disabled names it; take it out of there to use it.'],
      ['b', 'loaded', null],
    ])
    expect((await load({ ...files, 'two/a/SKILL.md': 'other' })).names).toEqual(['a', 'b'])
  })

  test('when its directory is none', async () => {
    const { outcomes } = await load({ one: 'text', 'two/a/SKILL.md': 'a' })
    expect(outcomes).toEqual([
      [
        'one',
        'refused',
        '/one cannot be listed (ENOTDIR: not a directory). A folder that holds folders of skills is needed.',
      ],
      ['a', 'loaded', null],
    ])
  })
})

/** Root may read everything, so it drops its rights for a moment. */
async function asNobody<T>(act: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return act()
  process.seteuid?.(65_534)
  try {
    return await act()
  } finally {
    process.seteuid?.(0)
  }
}
