import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { openByDescriptor, openByPath } from './folder.ts'
import { PathError } from './path.ts'
import { openWorkspace, type Workspace } from './workspace.ts'
import { rounds } from '../../../test/rounds.ts'

const made: string[] = []
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const isLinux = process.platform === 'linux'
const MAKE_PIPE = 'mkfifo'
const SECRET = 'the secret of the outside'

/** `around/root` is the workspace; everything else in `around` is outside. */
function stage(): { around: string; root: string; outside: string } {
  const around = realpathSync(mkdtempSync(join(tmpdir(), 'files-test-')))
  made.push(around)
  const [root, outside] = [join(around, 'root'), join(around, 'outside')]
  for (const folder of [join(root, 'notes'), join(root, '.hidden'), join(outside, 'notes')])
    mkdirSync(folder, { recursive: true })
  for (const name of ['secret.md', 'notes/a.md', 'a.md']) writeFileSync(join(outside, name), SECRET)
  writeFileSync(join(around, 'above.md'), SECRET)
  writeFileSync(join(root, '.hidden', 'secret.md'), SECRET)
  writeFileSync(join(root, 'plain.txt'), SECRET)
  writeFileSync(join(root, 'a.md'), 'inside a')
  writeFileSync(join(root, 'notes', 'b.md'), 'inside b')
  return { around, root, outside }
}

/** Links in all directions. */
function linked() {
  const parts = stage()
  const { root, outside } = parts
  const links: [string, string][] = [
    ['out', outside],
    ['up', '..'],
    ['up.md', '../above.md'],
    ['secret.md', '../outside/secret.md'],
    ['new.md', '../outside/new.md'],
    ['hidden', '.hidden'],
    ['hidden.md', '.hidden/secret.md'],
    ['text.md', 'plain.txt'],
    ['here', '.'],
    ['inside', 'notes'],
    ['b.md', 'notes/b.md'],
    ['fresh.md', 'notes/fresh.md'],
    ['circle.md', 'circle.md'],
    ['notes/back', '../../outside'],
    ['notes/round', '..'],
    ['proc', '/proc/self/cwd'],
  ]
  for (const [name, target] of links) symlinkSync(target, join(root, name))
  return parts
}

/** Every name, kind and byte below a folder, except the workspace's own visible files. */
function fingerprint(folder: string): string {
  const hash = createHash('sha256')
  const visit = (path: string): void => {
    const found = lstatSync(path)
    hash.update(`${path} ${found.mode} ${found.ino}\n`)
    if (found.isSymbolicLink()) hash.update(readlinkSync(path))
    else if (found.isDirectory()) for (const name of readdirSync(path).toSorted()) visit(join(path, name))
    else hash.update(readFileSync(path))
  }
  for (const name of readdirSync(folder).toSorted()) if (name !== 'root') visit(join(folder, name))
  for (const name of ['.hidden', 'plain.txt']) visit(join(folder, 'root', name))
  return hash.digest('hex')
}

describe.each([
  ['through descriptors', openByDescriptor],
  ['by path', openByPath],
])('%s', (_, opening) => {
  test.each([
    ['a.md', 'a.md'],
    ['./a.md', 'a.md'],
    ['notes//b.md', 'notes/b.md'],
    ['./notes/../a.md', 'a.md'],
    ['notes/./b.md', 'notes/b.md'],
    ['new/er/C.MD', 'new/er/C.MD'],
    ['with space/ü ö.md', 'with space/ü ö.md'],
    ['a..b.md', 'a..b.md'],
    ['ROOT/a.md', 'a.md'],
    ['ROOT/notes/../a.md', 'a.md'],
  ])('%s is the place %s, and what is written there is read there', async (path, place) => {
    const { root } = stage()
    const workspace = openWorkspace(root, opening)
    const given = path.replace('ROOT', root)
    expect(workspace.place(given)).toBe(place)
    await workspace.write(given, `text of ${path}`)
    expect(await workspace.read(given)).toBe(`text of ${path}`)
    expect(readFileSync(join(root, place), 'utf8')).toBe(`text of ${path}`)
  })

  test.each([
    ['', 'is empty'],
    ['.', 'does not end in .md'],
    ['notes', 'does not end in .md'],
    ['a.md/', 'names a folder'],
    ['a.md/.', 'names a folder'],
    ['plain.txt', 'does not end in .md'],
    ['.md', 'begin with a dot'],
    ['.hidden/secret.md', 'begin with a dot'],
    ['notes/.x.md', 'begin with a dot'],
    ['../above.md', 'outside of the workspace'],
    ['notes/../../above.md', 'outside of the workspace'],
    ['~/a.md', 'outside of the workspace'],
    ['/etc/a.md', 'outside of the workspace'],
    ['ROOT/../above.md', 'outside of the workspace'],
    ['ROOTx/a.md', 'outside of the workspace'],
    ['a\0.md', 'has a character'],
    ['a\n.md', 'has a character'],
    ['\uD800.md', 'has a character'],
    ['notes\\b.md', 'has a backslash'],
    [`${'x'.repeat(300)}.md`, 'too long for a name'],
    [`${'ü'.repeat(127)}.md`, 'too long for a name'],
    [`${'x/'.repeat(600)}a.md`, 'is too long'],
    [`${'x/'.repeat(40)}a.md`, 'is too deep'],
    ['a.md/b.md', 'a part of the path is a file'],
    ['out/secret.md', 'leads out of the workspace'],
    ['out/new/er.md', 'leads out of the workspace'],
    ['up/above.md', 'leads out of the workspace'],
    ['up.md', 'leads out of the workspace'],
    ['secret.md', 'leads out of the workspace'],
    ['new.md', 'leads out of the workspace'],
    ['inside/back/secret.md', 'leads out of the workspace'],
    ['hidden/secret.md', 'begin with a dot'],
    ['hidden.md', 'begin with a dot'],
    ['text.md', 'not a Markdown file'],
    ['circle.md', 'in a circle'],
  ])(
    '[SAFE3] %j is refused, for reading and for writing, with the reason and what to do',
    async (path, because) => {
      const { around, root } = linked()
      const workspace = openWorkspace(root, opening)
      const before = fingerprint(around)
      const given = path.replace('ROOT', root)
      const refusal = expect.objectContaining({
        name: 'PathError',
        message: expect.stringContaining(because),
      })
      await expect(workspace.read(given)).rejects.toEqual(refusal)
      await expect(workspace.write(given, 'x')).rejects.toEqual(refusal)
      expect(fingerprint(around)).toBe(before)
    },
  )

  test('links that stay inside are followed, also to what is not there yet, and stay links', async () => {
    const { root } = linked()
    const workspace = openWorkspace(root, opening)
    expect(await workspace.read('b.md')).toBe('inside b')
    expect(await workspace.read('here/inside/b.md')).toBe('inside b')
    expect(await workspace.read('fresh.md')).toBeUndefined()
    expect(workspace.realPlace('here/fresh.md')).toBe('notes/fresh.md')
    await workspace.write('b.md', 'new b')
    await workspace.write('fresh.md', 'fresh')
    expect(readFileSync(join(root, 'notes/b.md'), 'utf8')).toBe('new b')
    expect(readFileSync(join(root, 'notes/fresh.md'), 'utf8')).toBe('fresh')
    expect(lstatSync(join(root, 'b.md')).isSymbolicLink()).toBe(true)
  })

  test('what is removed is gone, of a link only the link, and nothing outside', async () => {
    const { root, outside } = stage()
    const files = openWorkspace(root, opening)
    writeFileSync(join(root, 'notes', 'a.md'), 'a')
    writeFileSync(join(outside, 'notes', 'out.md'), SECRET)
    symlinkSync(join(root, 'notes', 'a.md'), join(root, 'link.md'))
    symlinkSync(join(outside, 'notes'), join(root, 'way'))
    expect(await files.remove('link.md')).toBe(true)
    expect(await files.read('notes/a.md')).toBe('a')
    expect(await files.remove('notes/a.md')).toBe(true)
    expect(await files.remove('notes/a.md')).toBe(false)
    expect(await files.remove('nowhere/a.md')).toBe(false)
    await expect(files.remove('way/out.md')).rejects.toThrow('leads out of the workspace')
    await expect(files.remove('../outside/notes/out.md')).rejects.toThrow(PathError)
    mkdirSync(join(root, 'folder.md'))
    await expect(files.remove('folder.md')).rejects.toThrow('is a folder')
    expect(readFileSync(join(outside, 'notes', 'out.md'), 'utf8')).toBe(SECRET)
  })

  test('what is not there reads as undefined and makes no folder', async () => {
    const { root } = stage()
    const workspace = openWorkspace(root, opening)
    expect(await workspace.read('no.md')).toBeUndefined()
    expect(await workspace.read('no/such/folder.md')).toBeUndefined()
    expect(readdirSync(root)).not.toContain('no')
  })

  test('a folder, a pipe or a device with such a name is refused at once', async () => {
    const { root } = stage()
    mkdirSync(join(root, 'folder.md'))
    execFileSync(MAKE_PIPE, [join(root, 'pipe.md')])
    const workspace = openWorkspace(root, opening)
    for (const [path, because] of [
      ['folder.md', 'is a folder'],
      ['pipe.md', 'a device or a pipe, not a file'],
    ] as const) {
      await expect(workspace.read(path)).rejects.toThrow(because)
      await expect(workspace.write(path, 'x')).rejects.toThrow(because)
    }
    expect(lstatSync(join(root, 'pipe.md')).isFIFO()).toBe(true)
  })

  test('a file keeps its mode; a read-only one is left alone', async () => {
    const { root } = stage()
    const workspace = openWorkspace(root, opening)
    chmodSync(join(root, 'a.md'), 0o640)
    await workspace.write('a.md', 'new')
    expect(statSync(join(root, 'a.md')).mode & 0o777).toBe(0o640)
    chmodSync(join(root, 'a.md'), 0o444)
    await expect(workspace.write('a.md', 'newer')).rejects.toThrow('is read-only')
    expect(readFileSync(join(root, 'a.md'), 'utf8')).toBe('new')
  })

  test('a mebibyte is read and written, a byte more is not; nor is what is not UTF-8', async () => {
    const { root } = stage()
    const workspace = openWorkspace(root, opening)
    const whole = 'x'.repeat(1024 * 1024)
    await workspace.write('a.md', whole)
    expect(await workspace.read('a.md')).toBe(whole)
    await expect(workspace.write('a.md', `${whole}x`)).rejects.toThrow(
      'too large: 1048577 of at most 1048576',
    )
    await expect(workspace.write('a.md', 'half \uD800')).rejects.toThrow('half a character')
    expect(await workspace.read('a.md')).toBe(whole)
    writeFileSync(join(root, 'large.md'), `${whole}x`)
    writeFileSync(join(root, 'latin.md'), Buffer.from([0x67, 0xfc, 0x6e]))
    await expect(workspace.read('large.md')).rejects.toThrow('too large')
    await expect(workspace.read('latin.md')).rejects.toThrow('not UTF-8')
  })

  test('a text comes back to the byte, its mark of byte order included', async () => {
    const workspace = openWorkspace(stage().root, opening)
    for (const text of ['\uFEFFa\r\nb', '', '\0', '🧠\n\n'])
      expect(await workspace.write('a.md', text).then(() => workspace.read('a.md'))).toBe(text)
  })

  test('a new file is the person’s alone, and one that is replaced stays as open as it was', async () => {
    const { root } = stage()
    const workspace = openWorkspace(root, opening)
    chmodSync(join(root, 'a.md'), 0o640)
    const before = process.umask(0o002)
    onTestFinished(() => void process.umask(before))
    for (const name of ['a.md', 'new.md']) await workspace.write(name, 'x')
    const modes = ['a.md', 'new.md'].map((name) => statSync(join(root, name)).mode & 0o777)
    expect(modes).toEqual([0o640, 0o600])
  })

  const group = [2_000, ...(process.getgroups?.() ?? [])].find(
    (one) => one !== process.getgid?.() && (process.getuid?.() === 0 || one !== 2_000),
  )
  test.skipIf(group === undefined)(
    'a file keeps its group, and a new one gets that of a folder which passes its own on',
    async () => {
      const { around, root } = stage()
      chownSync(join(root, 'a.md'), process.getuid?.() ?? 0, group ?? 0)
      chownSync(root, process.getuid?.() ?? 0, group ?? 0)
      chmodSync(root, 0o2770)
      for (const place of [undefined, join(around, 'run')]) {
        const workspace = openWorkspace(root, opening, place)
        for (const name of ['a.md', 'new.md']) await workspace.write(name, 'x')
        expect(['a.md', 'new.md'].map((name) => statSync(join(root, name)).gid)).toEqual([group, group])
        rmSync(join(root, 'new.md'))
      }
    },
  )

  test('what a dead process left is swept away, what a living one makes stays, and neither is listed', async () => {
    const { root } = stage()
    const dead = execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }).trim()
    for (const pid of [dead, process.ppid]) writeFileSync(join(root, `.mainstem-${pid}-0.unfinished`), 'half')
    const workspace = openWorkspace(root, opening)
    await workspace.write('a.md', 'x')
    expect(readdirSync(root).filter((name) => name.endsWith('unfinished'))).toEqual([
      `.mainstem-${process.ppid}-0.unfinished`,
    ])
    expect((await workspace.list()).files.map(({ place }) => place)).toEqual(['a.md', 'notes/b.md'])
  })

  test('what an earlier process of the same number left keeps nothing from being written', async () => {
    const { around, root } = stage()
    const run = join(around, 'run')
    mkdirSync(run)
    for (const folder of [root, run])
      for (let made = 0; made < 300; made++)
        writeFileSync(join(folder, `.mainstem-${process.pid}-${made}.unfinished`), 'half')
    for (const place of [undefined, run]) {
      await openWorkspace(root, opening, place).write('a.md', 'x')
      expect(readFileSync(join(root, 'a.md'), 'utf8')).toBe('x')
    }
  })

  test.skipIf(!isLinux)('on another disk nothing is written first, where it may be full', async () => {
    // No file can be made there.
    const workspace = openWorkspace(stage().root, opening, '/proc')
    for (const name of ['a.md', 'new.md']) await workspace.write(name, 'x')
    expect(await workspace.read('new.md')).toBe('x')
  })

  test('a list has each name once, follows links that stay inside, and no circle', async () => {
    const { root } = linked()
    const { files, isWhole } = await openWorkspace(root, opening).list()
    const places = files.map(({ place }) => place)
    expect(places).toEqual([...new Set(places)].toSorted())
    expect(places).toEqual(['a.md', 'b.md', 'inside/b.md', 'notes/b.md'])
    expect(files.find(({ place }) => place === 'inside/b.md')?.real).toBe('notes/b.md')
    expect(isWhole).toBe(true)
  })

  test('a workspace that is not there is named', async () => {
    const workspace = openWorkspace(join(stage().around, 'nowhere'), opening)
    await expect(workspace.read('a.md')).rejects.toThrow(/^The workspace .*nowhere is not there \(ENOENT\)/)
    await expect(workspace.list()).rejects.toThrow(PathError)
  })

  test('what somebody makes at this moment is not lost: it is decided again, with that', async () => {
    const { root } = stage()
    let isMade = false
    const racing = openWorkspace(root, async (wish) => {
      const folder = await opening(wish)
      if (folder === undefined) return undefined
      const stay: typeof folder.stay = () => {
        // The new text is about to be put there.
        if (!isMade) writeFileSync(join(root, 'made.md'), 'theirs')
        isMade = true
        folder.stay()
      }
      return { ...folder, stay }
    })
    const seen: (string | undefined)[] = []
    await racing.change('made.md', async ({ before }) => {
      seen.push(before)
      return before === undefined ? 'ours' : undefined
    })
    expect(seen).toEqual([undefined, 'theirs'])
    expect(readFileSync(join(root, 'made.md'), 'utf8')).toBe('theirs')
    expect(readdirSync(root).filter((name) => name.includes('unfinished'))).toEqual([])
  })

  test('[SAFE3] a folder that became a link after it was looked at is not gone through', async () => {
    const { root, outside } = stage()
    const workspace = openWorkspace(root, async (wish) => {
      renameSync(join(root, 'notes'), join(root, 'kept'))
      symlinkSync(outside, join(root, 'notes'))
      return opening(wish)
    })
    await expect(workspace.read('notes/b.md')).rejects.toThrow('somebody else at this moment')
  })

  test('[SAFE3] a file that became a link after it was looked at is neither read nor written through', async () => {
    const { around, root } = stage()
    const before = fingerprint(around)
    const swapping = openWorkspace(root, async (wish) => {
      const folder = await opening(wish)
      rmSync(join(root, 'a.md'), { force: true })
      symlinkSync('../above.md', join(root, 'a.md'))
      return folder
    })
    await expect(swapping.read('a.md')).rejects.toThrow('somebody else at this moment')
    rmSync(join(root, 'a.md'))
    await expect(swapping.write('a.md', 'x')).rejects.toThrow('somebody else at this moment')
    expect(fingerprint(around)).toBe(before)
  })

  test('[SAFE3] any string at all, read, written and listed, leaves the outside as it is and brings nothing of it', async () => {
    const { around, root } = linked()
    const workspace = openWorkspace(root, opening)
    const before = fingerprint(around)
    await fc.assert(
      fc.asyncProperty(anyPath(root), async (path) => {
        const read = await attempt(() => workspace.read(path))
        const written = await attempt(() => workspace.write(path, 'written by the test'))
        expect(`${read} ${written}`).not.toContain(SECRET)
      }),
      { numRuns: rounds(600) },
    )
    const texts = await Promise.all((await workspace.list()).files.map(({ place }) => workspace.read(place)))
    expect(texts.length).toBeGreaterThan(0)
    expect(texts.join()).not.toContain(SECRET)
    expect(fingerprint(around)).toBe(before)
  })
})

function anyPath(root: string) {
  const names = [
    'a.md',
    'secret.md',
    'above.md',
    'b.md',
    'notes',
    'out',
    'outside',
    'up',
    'here',
    'inside',
    'back',
  ]
  const odd = [
    '..',
    '.',
    '',
    '~',
    '.hidden',
    'hidden',
    'hidden.md',
    'proc',
    'new.md',
    'text.md',
    'root',
    'A.MD',
  ]
  const name = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...names, ...odd) },
    fc.string({ maxLength: 8 }),
    fc.string({ unit: 'binary', maxLength: 4 }).map((text) => `${text}.md`),
  )
  const start = fc.constantFrom('', '', './', '/', `${root}/`, `${root}/../`, '../', 'file://', 'C:\\')
  const joined = fc.tuple(
    start,
    fc.array(name, { maxLength: 7 }),
    fc.constantFrom('/', '/', '//', '\\', '/./'),
  )
  const full = joined.map(([begin, parts, between]) => begin + parts.join(between))
  return fc.oneof(
    full,
    full.map((path) => `${path}.md`),
    fc.string({ unit: 'binary' }),
  )
}

/** The result or the refusal; nothing else is expected. */
async function attempt(work: () => Promise<string | undefined | void>): Promise<string> {
  try {
    return String(await work())
  } catch (error) {
    expect(error).toBeInstanceOf(PathError)
    return String(error)
  }
}

test('[SAFE3] a handle to a file outside is not verified by path', async () => {
  const { root, outside } = stage()
  const folder = await openByPath({ root, parts: ['notes'], missing: 'leave' })
  renameSync(join(root, 'notes'), join(root, 'kept'))
  symlinkSync(join(outside, 'notes'), join(root, 'notes'))
  const file = await open(join(root, 'notes', 'a.md'))
  await expect(folder?.verify(file, 'a.md')).rejects.toThrow('somebody else at this moment')
  rmSync(join(root, 'notes'))
  renameSync(join(root, 'kept'), join(root, 'notes'))
  writeFileSync(join(root, 'notes', 'a.md'), 'mine')
  await expect(folder?.verify(file, 'a.md')).rejects.toThrow('somebody else at this moment')
  await file.close()
})

test('a wide or deep tree is listed from the top, up to a bound', async () => {
  const { root } = stage()
  const wide = join(root, 'wide')
  mkdirSync(wide)
  for (let n = 0; n < 20_100; n++) writeFileSync(join(wide, `${n}.md`), '')
  const workspace: Workspace = openWorkspace(root)
  const { files, isWhole } = await workspace.list()
  expect(isWhole).toBe(false)
  expect(files.length).toBeGreaterThan(19_900)
  expect(files.length).toBeLessThanOrEqual(20_000)
  expect(files.map(({ place }) => place)).toContain('a.md')
  rmSync(wide, { recursive: true })
  mkdirSync(join(root, 'deep/'.repeat(40)), { recursive: true })
  writeFileSync(join(root, 'deep/'.repeat(40), 'bottom.md'), '')
  expect(await workspace.list()).toMatchObject({
    isWhole: false,
    files: [{ place: 'a.md' }, { place: 'notes/b.md' }],
  })
})
