import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../../test/cli/run.ts'
import { handedInFolder, handIn, listHandedIn } from './handed-in.ts'

const update = { text: 'The build is green.', source: 'mcp test' }

describe('what is handed in', () => {
  test('waits until it is removed, the oldest first', async () => {
    const home = join(tempFolder(), 'home')
    expect(await listHandedIn(home)).toEqual([])
    const before = Date.now()
    await handIn(home, update)
    await new Promise((resolve) => setTimeout(resolve, 5))
    await handIn(home, { ...update, text: 'second' })
    const [first, second, ...more] = await listHandedIn(home)
    expect(more).toEqual([])
    expect(first).toMatchObject(update)
    expect(second?.text).toBe('second')
    expect(first?.at).toBeGreaterThanOrEqual(before)
    rmSync(join(handedInFolder(home), first?.name ?? ''))
    expect(await listHandedIn(home)).toEqual([second])
  })

  test('many at once are all kept, in files of their own that only the owner reads', async () => {
    const home = tempFolder()
    await Promise.all(Array.from({ length: 50 }, (_, n) => handIn(home, { ...update, text: `u${n}` })))
    const texts = (await listHandedIn(home)).map(({ text }) => text)
    expect(new Set(texts).size).toBe(50)
    const files = readdirSync(handedInFolder(home))
    expect(files.every((name) => /^[0-9a-f]{32}\.json$/.test(name))).toBe(true)
    expect(statSync(handedInFolder(home)).mode & 0o777).toBe(0o700)
    expect(statSync(join(handedInFolder(home), files[0] ?? '')).mode & 0o777).toBe(0o600)
  })

  test('is passed over where it is no update, or not finished', async () => {
    const home = tempFolder()
    await handIn(home, update)
    const folder = handedInFolder(home)
    const name = 'a'.repeat(32)
    writeFileSync(join(folder, `${name}.json.unfinished`), JSON.stringify({ ...update, at: 1 }))
    writeFileSync(join(folder, `${name}.json`), '{"text":')
    writeFileSync(join(folder, `${'b'.repeat(32)}.json`), '{"text":"x"}')
    writeFileSync(join(folder, 'notes.json'), JSON.stringify({ ...update, at: 1 }))
    expect((await listHandedIn(home)).map(({ text }) => text)).toEqual([update.text])
  })

  test('has a text of at most 16 KB', async () => {
    const home = tempFolder()
    await expect(handIn(home, { ...update, text: ' ' })).rejects.toThrow('an update needs text')
    await handIn(home, { ...update, text: 'x'.repeat(16 * 1_024) })
    await expect(handIn(home, { ...update, text: 'x'.repeat(16 * 1_024 + 1) })).rejects.toThrow(
      'at most 16 KB',
    )
    expect(await listHandedIn(home)).toHaveLength(1)
  })

  test('has a source of one line and at most 80 characters, and can be read again whatever it says', async () => {
    const home = tempFolder()
    await handIn(home, { text: 'a\ud800"\n'.repeat(1_000), source: `you\n${'are told '.repeat(20)}` })
    await handIn(home, { text: 'b', source: '\n' })
    const sources = (await listHandedIn(home)).map(({ source }) => source)
    expect(sources.toSorted()).toEqual([
      'unnamed',
      'you are told are told are told are told are told are told are told are told are',
    ])
    const escapes = '\u0001'.repeat(16 * 1_024)
    await expect(handIn(home, { text: escapes, source: 'x' })).rejects.toThrow('an update must be plain text')
  })

  test('is refused when a thousand wait already, with what to do', async () => {
    const home = tempFolder()
    const folder = handedInFolder(home)
    mkdirSync(folder)
    for (let n = 0; n < 1_000; n++) writeFileSync(join(folder, `${String(n).padStart(32, '0')}.json`), '')
    await expect(handIn(home, update)).rejects.toThrow('start mainstem to process them, or delete them')
  })

  test.skipIf(process.getuid?.() === 0)('leaves nothing behind where it cannot be written', async () => {
    const home = tempFolder()
    mkdirSync(handedInFolder(home))
    chmodSync(handedInFolder(home), 0o500)
    await expect(handIn(home, update)).rejects.toThrow('EACCES')
    expect(readdirSync(handedInFolder(home))).toEqual([])
  })
})
