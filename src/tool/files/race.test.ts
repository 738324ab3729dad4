import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readText } from './file.ts'
import type { Folder } from './folder.ts'
import { PathError } from './path.ts'
import { openWorkspace } from './workspace.ts'

let around = ''
let child: ChildProcess | undefined
beforeEach(() => {
  around = realpathSync(mkdtempSync(join(tmpdir(), 'files-race-')))
})
afterEach(async () => {
  await kill()
  rmSync(around, { recursive: true, force: true, maxRetries: 5 })
})

/** Runs a module in another process; resolves at its first output. */
async function start(code: string): Promise<void> {
  child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout ?? child, 'data')
}

async function kill(): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

const SECRET = 'the secret of the outside'

const swapping = (root: string) => `
  import { renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
  const [folder, kept, file] = ['swap', 'kept', 'note.md'].map((name) => ${JSON.stringify(`${root}/`)} + name)
  const attempt = (work) => { try { work() } catch {} }
  for (let n = 0; ; n++) {
    renameSync(folder, kept)
    // A writer may have created the missing folder.
    for (let isDone = false; !isDone; attempt(() => { symlinkSync('../outside', folder); isDone = true }))
      attempt(() => rmSync(folder, { recursive: true, force: true }))
    attempt(() => { unlinkSync(file); symlinkSync('../outside/secret.md', file) })
    for (let isDone = false; !isDone; attempt(() => { renameSync(kept, folder); isDone = true }))
      attempt(() => rmSync(folder, { recursive: true, force: true }))
    attempt(() => { unlinkSync(file); writeFileSync(file, 'inside') })
    if (n === 100) process.stdout.write('swapping')
  }`

describe.runIf(process.platform === 'linux')('while somebody swaps folders, files and links', () => {
  test('[SAFE3] nothing outside is read, listed or changed', async () => {
    const [root, outside] = [join(around, 'root'), join(around, 'outside')]
    for (const folder of [join(root, 'swap', 'deep'), join(outside, 'deep')])
      mkdirSync(folder, { recursive: true })
    for (const name of ['secret.md', 'deep/secret.md', 'only-outside.md'])
      writeFileSync(join(outside, name), SECRET)
    for (const name of ['secret.md', 'deep/secret.md']) writeFileSync(join(root, 'swap', name), 'inside')
    writeFileSync(join(root, 'note.md'), 'inside')
    const seen = { read: 0, written: 0, refused: 0 }
    const trying = async (kind: 'read' | 'written', work: () => Promise<unknown>): Promise<void> => {
      try {
        expect(String(await work())).not.toContain(SECRET)
        seen[kind]++
      } catch (error) {
        if (!(error instanceof PathError)) throw error
        expect(error.message).not.toContain(SECRET)
        seen.refused++
      }
    }
    await start(swapping(root))
    const workspace = openWorkspace(root)
    for (let round = 0; round < 200; round++) {
      for (const path of ['swap/secret.md', 'swap/deep/secret.md', 'note.md']) {
        await trying('read', () => workspace.read(path))
        await trying('written', () => workspace.write(path, `inside ${round}`))
      }
      await trying('written', () => workspace.write(`swap/made-${round % 5}/new.md`, 'inside'))
      const listed = (await workspace.list()).files.map(({ place }) => place)
      expect(listed.filter((place) => place.includes('only-outside'))).toEqual([])
    }
    expect(child?.exitCode).toBeNull()
    await kill()
    expect(readdirSync(outside, { recursive: true }).map(String).toSorted()).toEqual([
      'deep',
      'deep/secret.md',
      'only-outside.md',
      'secret.md',
    ])
    for (const name of ['secret.md', 'deep/secret.md', 'only-outside.md'])
      expect(readFileSync(join(outside, name), 'utf8')).toBe(SECRET)
    // Otherwise nothing was proved: both sides of the race must have occurred.
    expect(Math.min(seen.read, seen.written, seen.refused)).toBeGreaterThan(20)
  })
})

test('[SAFE3] a link that takes the place of a file between the look at it and its opening is not followed', async () => {
  mkdirSync(join(around, 'root'))
  writeFileSync(join(around, 'root', 'note.md'), 'inside')
  writeFileSync(join(around, 'secret.md'), SECRET)
  symlinkSync('../secret.md', join(around, 'root', 'link.md'))
  let looked = 0
  const folder: Folder = {
    at: () => join(around, 'root', looked++ === 0 ? 'note.md' : 'link.md'),
    verify: async () => undefined,
    stay: () => undefined,
    settle: async () => undefined,
    close: async () => undefined,
  }
  await expect(readText(folder, 'note.md', 'note.md')).rejects.toThrow(PathError)
  expect(looked).toBe(2)
})

test('a process killed while it writes leaves the old text or the new one, and no file of its own in the list', async () => {
  const root = join(around, 'root')
  const workspace = openWorkspace(root)
  const module = JSON.stringify(new URL('./workspace.ts', import.meta.url).href)
  const writing = `
    import { openWorkspace } from ${module}
    const workspace = openWorkspace(${JSON.stringify(root)})
    for (let n = 0; ; n++) {
      await workspace.write('notes/a.md', String(n % 10).repeat(300_000))
      if (n === 0) process.stdout.write('writing')
    }`
  mkdirSync(root)
  let left = 0
  for (let round = 0; round < 8 || left < 3; round++) {
    await start(writing)
    // Not a wait for a condition: the moment of death should vary.
    await new Promise((resolve) => setTimeout(resolve, 4 + round * 3))
    await kill()
    const text = readFileSync(join(root, 'notes/a.md'), 'utf8')
    expect(text).toHaveLength(300_000)
    expect(new Set(text).size).toBe(1)
    expect((await workspace.list()).files.map(({ place }) => place)).toEqual(['notes/a.md'])
    left += readdirSync(join(root, 'notes')).length - 1
  }
  await workspace.write('notes/a.md', 'end')
  expect(readdirSync(join(root, 'notes'))).toEqual(['a.md'])
  expect(existsSync(join(root, 'notes', 'a.md'))).toBe(true)
})
