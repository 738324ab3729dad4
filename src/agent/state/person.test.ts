import { expect, test } from 'vitest'
import { createBranch } from '../../context/fork.ts'
import { seededRandom } from '../../base/random.ts'
import { makeBranchId, type BranchId } from '../../event/id.ts'
import { OWNER } from '../../event/speaker.ts'
import type { Draft } from '../../event/event.ts'
import { openMemoryLog } from '../../log/memory.ts'
import { contextProjections } from '../../context/fold.ts'
import { agentProjection } from './fold.ts'
import {
  addressOf,
  identityOf,
  mainOf,
  nameOfPerson,
  oldestMain,
  openPairings,
  PAIRING_MS,
  peopleIn,
  personIn,
  roleOf,
} from './person.ts'
import { placeNow } from './outbox.ts'

const author = { by: 'person' } as const
const telegram = { channel: 'telegram', user: '7' }
const NOBODY = { links: [] }

/** The owner's main session, and that of a guest who was let in at Telegram's conversation 70. */
async function scene() {
  const log = openMemoryLog({ projections: [...contextProjections, agentProjection] })
  const [owners, guests, fork] = [1, 2, 3].map((seed) => makeBranchId(seed, seededRandom(seed))) as [
    BranchId,
    BranchId,
    BranchId,
  ]
  const write = (...drafts: readonly Draft[]) =>
    log.write((writing) => drafts.map((draft) => writing.append(draft)))
  const head = { at: 1, v: 1, branch: guests } as const
  await write(
    createBranch({ child: owners, mode: 'main', title: null, at: 1, author }).draft,
    createBranch({ child: guests, mode: 'main', title: null, at: 1, author }).draft,
    { kind: 'person-added', ...head, person: 'ben', name: 'Ben', role: 'guest', main: guests, author },
    { kind: 'identity-linked', ...head, person: 'ben', ...telegram, author },
    { kind: 'conversation-bound', ...head, channel: 'telegram', conversation: '70', author },
    {
      kind: 'branch-created',
      ...head,
      branch: fork,
      mode: 'child',
      parent: guests,
      title: null,
      base: { from: 'nothing' },
      author,
    },
  )
  return { log, write, owners, guests, fork, head }
}

test('[PEOPLE1] a branch is of the person whose main session is above it; all others are the owner’s', async () => {
  const { log, owners, guests, fork } = await scene()
  await log.read((reader) => {
    expect([owners, guests, fork].map((branch) => personIn(reader, branch))).toEqual([OWNER, 'ben', 'ben'])
    expect([OWNER, 'ben', 'eve'].map((person) => mainOf(reader, person))).toEqual([owners, guests, undefined])
    expect([OWNER, 'ben', 'eve'].map((person) => roleOf(reader, person))).toEqual([
      'owner',
      'guest',
      undefined,
    ])
    expect(oldestMain(reader)).toBe(owners)
    expect(addressOf(reader, 'ben')).toEqual({ channel: 'telegram', conversation: '70' })
    expect(nameOfPerson(reader, 'ben')).toBe('Ben')
  })
})

test('[PEOPLE1] an identity is of one person, on one channel', async () => {
  const { log } = await scene()
  await log.read((reader) => {
    expect(identityOf(reader, telegram, NOBODY)).toBe('ben')
    expect(identityOf(reader, { ...telegram, channel: 'discord' }, NOBODY)).toBeUndefined()
    expect(identityOf(reader, { channel: 'discord', user: '7' }, { links: ['discord:7'] })).toBe(OWNER)
  })
})

test('[PEOPLE1] whoever was removed is a stranger, and their branches do not become the owner’s', async () => {
  const { log, write, guests, head } = await scene()
  await write({ kind: 'person-removed', ...head, person: 'ben', author })
  await log.read((reader) => {
    expect(identityOf(reader, telegram, NOBODY)).toBeUndefined()
    expect(roleOf(reader, 'ben')).toBeUndefined()
    expect(peopleIn(reader)).toEqual([])
    expect(personIn(reader, guests)).toBe('ben')
  })
  await expect(
    write({ kind: 'person-added', ...head, person: 'ben', name: 'B', role: 'guest', main: guests, author }),
  ).rejects.toThrow("somebody's already")
})

test('[SAFE5] an import lets nobody in', async () => {
  const { log, write, owners } = await scene()
  await write({ kind: 'import-closed', branch: owners, at: 2, v: 1 })
  await log.read((reader) => expect(identityOf(reader, telegram, NOBODY)).toBeUndefined())
})

test('[SAFE5] an import leads no message somewhere else', async () => {
  const { log, write, owners } = await scene()
  const place = { channel: 'telegram', conversation: '-70' }
  const head = { branch: owners, at: 2, v: 1 } as const
  await write({ kind: 'conversation-bound', ...head, ...place, conversation: '-71', before: '-70', author })
  await log.read((reader) => expect(placeNow(reader, place).conversation).toBe('-71'))
  await write({ kind: 'import-closed', ...head })
  await log.read((reader) => expect(placeNow(reader, place).conversation).toBe('-70'))
})

test('a code counts for an hour, and once', async () => {
  const { log, write, owners } = await scene()
  const ask = (code: string, at: number): Draft => ({
    kind: 'pairing-asked',
    branch: owners,
    at,
    v: 1,
    ...telegram,
    conversation: '70',
    name: 'Eve',
    code,
  })
  const open = (now: number) => log.read((reader) => openPairings(reader, now).map(({ code }) => code))
  await write(ask('A', 10), ask('B', 20))
  expect(await open(20)).toEqual(['B', 'A'])
  expect(await open(10 + PAIRING_MS)).toEqual(['B'])
  const decided = {
    kind: 'pairing-decided',
    branch: owners,
    at: 30,
    v: 1,
    decision: 'refused',
    author,
  } as const
  await write({ ...decided, code: 'B' })
  expect(await open(20)).toEqual(['A'])
  await expect(write({ ...decided, code: 'B' })).rejects.toThrow('nobody waits')
})
