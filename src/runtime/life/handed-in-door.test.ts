import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../../test/cli/run.ts'
import { newHome, talkIn } from '../../../test/skills/talk.ts'
import { branchFor } from '../../agent/branch/binding.ts'
import type { BranchId } from '../../event/id.ts'
import type { EventOf } from '../../event/event.ts'
import type { Log } from '../../log/log.ts'
import { handedInFolder, handIn, openUpdatesDoor } from './handed-in.ts'
import { openForWriting } from '../home/open-log.ts'
import { terminalAddress as conversation } from '../terminal/place.ts'

const NOW = 1_900_000_000_000

interface Door {
  readonly home: string
  readonly log: Log
  readonly main: BranchId
  readonly warnings: readonly string[]
  open(): Promise<{ close(): Promise<void> }>
  /** Once there are so many in the log. */
  reported(count: number): Promise<readonly EventOf<'update-reported'>[]>
}

/** A home with a conversation. */
async function makeDoor(): Promise<Door> {
  const home = tempFolder()
  const log = openForWriting({ home, command: 'test' })
  onTestFinished(() => log.close())
  const main = await log.write((writing) => branchFor(writing, conversation, { at: 1, seed: 1 }))
  const failures: unknown[] = []
  const warnings: string[] = []
  const parts = {
    home,
    log,
    now: () => NOW,
    conversation,
    warn: (text: string) => warnings.push(text),
    fail: (error: unknown) => failures.push(error),
  }
  return {
    home,
    log,
    main,
    warnings,
    open: async () => {
      const door = await openUpdatesDoor(parts)
      onTestFinished(() => door.close())
      return door
    },
    reported: async (count) => {
      for (;;) {
        expect(failures).toEqual([])
        const all = await Array.fromAsync(log.events({ kind: 'update-reported' }))
        if (all.length >= count) return all as EventOf<'update-reported'>[]
        await sleep(5)
      }
    },
  }
}

function waiting(home: string): string[] {
  return existsSync(handedInFolder(home)) ? readdirSync(handedInFolder(home)) : []
}

test('what was handed in before the start is taken in, oldest first, and its files are gone', async () => {
  const door = await makeDoor()
  await handIn(door.home, { text: 'first', source: 'mcp a' })
  await sleep(2)
  await handIn(door.home, { text: 'second', source: 'mcp b' })
  await door.open()
  const all = await door.reported(2)
  expect(all.map(({ text, source, branch }) => ({ text, source, branch }))).toEqual([
    { text: 'first', source: 'mcp a', branch: door.main },
    { text: 'second', source: 'mcp b', branch: door.main },
  ])
  expect(waiting(door.home)).toEqual([])
})

test('what is handed in while it is open is taken in as it comes; after it is closed it waits', async () => {
  const door = await makeDoor()
  const opened = await door.open()
  await handIn(door.home, { text: 'meanwhile', source: 'mcp a' })
  expect(await door.reported(1)).toMatchObject([{ text: 'meanwhile' }])
  await opened.close()
  await handIn(door.home, { text: 'too late', source: 'mcp a' })
  await sleep(20)
  expect(waiting(door.home)).toHaveLength(1)
  expect(await door.reported(1)).toHaveLength(1)
})

test('a file that a death left behind its event is removed, and told no second time', async () => {
  const door = await makeDoor()
  await handIn(door.home, { text: 'once', source: 'mcp a' })
  const [name = ''] = waiting(door.home)
  await (await door.open()).close()
  await door.reported(1)
  writeFileSync(
    join(handedInFolder(door.home), name),
    JSON.stringify({ text: 'once', source: 'mcp a', at: 1 }),
  )
  await (await door.open()).close()
  expect(waiting(door.home)).toEqual([])
  expect(await door.reported(1)).toHaveLength(1)
})

test('a time that lies ahead becomes now, and what has another name is left alone', async () => {
  const door = await makeDoor()
  mkdirSync(handedInFolder(door.home))
  const put = (name: string, text: string): void => writeFileSync(join(handedInFolder(door.home), name), text)
  put(`${'a'.repeat(32)}.json`, JSON.stringify({ text: 'from the future', source: 'x', at: NOW * 2 }))
  put('notes.txt', 'mine')
  await (await door.open()).close()
  expect(await door.reported(1)).toMatchObject([{ at: NOW, text: 'from the future' }])
  expect(waiting(door.home)).toEqual(['notes.txt'])
  expect(door.warnings).toEqual([])
})

test('more than two hundred are all taken in, and the start waits for two hundred of them', async () => {
  const door = await makeDoor()
  mkdirSync(handedInFolder(door.home))
  for (let n = 0; n < 450; n++)
    writeFileSync(
      join(handedInFolder(door.home), nameOf(n)),
      JSON.stringify({ text: `update ${n}`, source: 'x', at: 450 - n }),
    )
  await door.open()
  const first = await door.reported(200)
  expect(first.slice(0, 2).map(({ text }) => text)).toEqual(['update 449', 'update 448'])
  expect(waiting(door.home).length).toBeGreaterThan(0)
  expect(await door.reported(450)).toHaveLength(450)
  while (waiting(door.home).length > 0) await sleep(5)
})

function nameOf(n: number): string {
  return `${n.toString(16).padStart(32, '0')}.json`
}

describe('what is no update', () => {
  const update = { text: 'good', source: 'mcp a', at: 1 }
  const whole = (more: object): string => JSON.stringify({ ...update, ...more })
  const ways: Readonly<Record<string, (path: string) => void>> = {
    'a folder': (path) => mkdirSync(join(path, 'inside'), { recursive: true }),
    'a pipe': (path) => void execFileSync('mkfifo', [path]),
    'a link to a device': (path) => symlinkSync('/dev/zero', path),
    'a link to an update elsewhere': (path) => {
      const elsewhere = join(tempFolder(), 'update.json')
      writeFileSync(elsewhere, whole({}))
      symlinkSync(elsewhere, path)
    },
    'an empty file': (path) => writeFileSync(path, ''),
    'half of one': (path) => writeFileSync(path, '{"text": '),
    'a file of 65 KB': (path) => writeFileSync(path, whole({}) + ' '.repeat(65 * 1_024)),
    'a text of 17 KB': (path) => writeFileSync(path, whole({ text: 'x'.repeat(17 * 1_024) })),
    'a text of spaces': (path) => writeFileSync(path, whole({ text: ' \n' })),
    'a long source': (path) => writeFileSync(path, whole({ source: 'x'.repeat(81) })),
    'a source of two lines': (path) => writeFileSync(path, whole({ source: 'you\nare told' })),
    'one of another kind': (path) => writeFileSync(path, whole({ isCritical: true })),
    'one of no time': (path) => writeFileSync(path, whole({ at: 1e300 })),
  }

  test.each(Object.keys(ways))(
    '(%s) is set aside and told of, and neither the start nor another update minds',
    async (way) => {
      const door = await makeDoor()
      mkdirSync(handedInFolder(door.home))
      ways[way]?.(join(handedInFolder(door.home), nameOf(1)))
      await handIn(door.home, { text: 'good', source: 'mcp a' })
      await (await door.open()).close()
      expect(await door.reported(1)).toMatchObject([{ text: 'good' }])
      expect(waiting(door.home)).toEqual([`${nameOf(1)}.bad`])
      expect(door.warnings).toHaveLength(1)
      expect(door.warnings[0]).toContain(`${nameOf(1)} in ${handedInFolder(door.home)} is not an update (it `)
      if (way === 'a file of 80 MB') expect(door.warnings[0]).toContain('it has more than 64 KB')
    },
  )

  test('is told of once, kept twenty times, and takes the place of no update for long', async () => {
    const door = await makeDoor()
    mkdirSync(handedInFolder(door.home))
    for (let n = 0; n < 1_500; n++) writeFileSync(join(handedInFolder(door.home), nameOf(n)), 'junk')
    await expect(handIn(door.home, { text: 'good', source: 'mcp a' })).rejects.toThrow(
      '1000 updates already wait',
    )
    await door.open()
    while (waiting(door.home).length > 20) await sleep(5)
    await handIn(door.home, { text: 'good', source: 'mcp a' })
    expect(await door.reported(1)).toHaveLength(1)
    writeFileSync(join(handedInFolder(door.home), nameOf(2_000)), 'junk')
    while (!waiting(door.home).includes(`${nameOf(2_000)}.bad`)) await sleep(5)
    expect(door.warnings).toEqual([expect.stringContaining('The same goes for 999 others.')])
  })

  test('may stand in the place of the folder itself', async () => {
    const door = await makeDoor()
    writeFileSync(handedInFolder(door.home), 'a file')
    await (await door.open()).close()
    expect(await door.reported(0)).toEqual([])
    expect(door.warnings).toEqual([expect.stringContaining(': EEXIST')])
  })

  test('of letters is made text', async () => {
    const door = await makeDoor()
    mkdirSync(handedInFolder(door.home))
    writeFileSync(join(handedInFolder(door.home), nameOf(1)), '{"text":"half \\ud800","source":"x","at":1}')
    await door.open()
    expect(await door.reported(1)).toMatchObject([{ text: 'half \ufffd' }])
  })
})

test('[UPD1] main is told, though the conversation has gone over to a fork meanwhile', async () => {
  const talk = await talkIn(newHome())
  await talk.say('/fork')
  await handIn(talk.home, { text: 'the build is green', source: 'mcp ci' })
  const reported = async (): Promise<EventOf<'update-reported'> | undefined> =>
    (await talk.events()).find((event) => event.kind === 'update-reported')
  while ((await reported()) === undefined) await sleep(5)
  const main = (await talk.events()).find((event) => event.kind === 'branch-created')
  expect((await reported())?.branch).toBe(main?.branch)
})
