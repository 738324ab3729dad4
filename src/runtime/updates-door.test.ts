import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../test/cli/run.ts'
import { newHome, talkIn } from '../../test/skills/talk.ts'
import { seededRandom } from '../base/random.ts'
import { branchFor } from '../command/binding.ts'
import type { BranchId } from '../event/id.ts'
import type { EventOf } from '../event/event.ts'
import type { Log } from '../log/log.ts'
import { handedInFolder, handIn } from './handed-in.ts'
import { openForWriting } from './runtime.ts'
import { terminalAddress as conversation } from './terminal-place.ts'
import { openUpdatesDoor } from './updates-door.ts'

const NOW = 1_900_000_000_000

interface Door {
  readonly home: string
  readonly log: Log
  readonly main: BranchId
  open(): Promise<{ close(): Promise<void> }>
  /** Once there are so many in the log. */
  reported(count: number): Promise<readonly EventOf<'update-reported'>[]>
}

/** A home with a conversation. */
async function makeDoor(): Promise<Door> {
  const home = tempFolder()
  const log = openForWriting({ home, command: 'test' })
  onTestFinished(() => log.close())
  const random = seededRandom(1)
  const main = await log.write((writing) => branchFor(writing, conversation, { at: 1, random }))
  const failures: unknown[] = []
  const parts = {
    home,
    log,
    now: () => NOW,
    conversation,
    fail: (error: unknown) => failures.push(error),
  }
  return {
    home,
    log,
    main,
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

test('a time that lies ahead becomes now, and what is no update is left alone', async () => {
  const door = await makeDoor()
  mkdirSync(handedInFolder(door.home))
  const put = (name: string, text: string): void => writeFileSync(join(handedInFolder(door.home), name), text)
  put(`${'a'.repeat(32)}.json`, JSON.stringify({ text: 'from the future', source: 'x', at: NOW * 2 }))
  put(`${'b'.repeat(32)}.json`, '{"text": ')
  put('notes.txt', 'mine')
  await (await door.open()).close()
  expect(await door.reported(1)).toMatchObject([{ at: NOW, text: 'from the future' }])
  expect(waiting(door.home).toSorted()).toEqual([`${'b'.repeat(32)}.json`, 'notes.txt'])
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
