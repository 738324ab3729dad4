import { once } from 'node:events'
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../src/base/random.ts'
import { openHomeRecall } from '../src/runtime/home/home-recall.ts'
import { recallState, type RecallState } from '../src/runtime/home/recall-state.ts'
import { openForReading, openForWriting } from '../src/runtime/home/open-log.ts'
import { collect, FIXTURES, openOtherWriter, run, runProcess, start, tempFolder } from './cli/run.ts'
import { naivePlaces, oldHome, placesOf, uniqueWord, usualValues, type Places } from './recall-life/talk.ts'

const OLD_MESSAGES = 10_000
const KILLS = 2
/** Words of a log that are looked for one by one; a longer log has only some of them looked for. */
const LOOKED_FOR = 150
const SEED = 11
const LIMIT = 50

describe('a process that dies of `kill -9`', () => {
  test('[RECALL2] while it indexes an old log, or makes its vectors, leaves nothing that is not found later', async () => {
    const home = join(tempFolder(), 'home')
    await oldHome(home, OLD_MESSAGES)
    const random = seededRandom(SEED)
    const killed = { words: 0, vectors: 0 }
    for (const what of ['words', 'vectors'] as const)
      for (let kill = 0; kill < KILLS || killed[what] === 0; kill++) {
        // All of it was done before the kill came: it is done anew.
        if (kill >= KILLS) removeIndex(home)
        if (await killWhile(home, { what, afterMs: random() % 30 })) killed[what]++
      }
    const { hits, behind } = await found(home, uniqueWord(OLD_MESSAGES - 1))
    expect({ first: hits[0]?.position, behind }).toEqual({
      first: OLD_MESSAGES + 1,
      behind: { events: 0, vectors: 0 },
    })
    await expectAllFound(home)
  })

  test('[RECALL2] while it talks leaves nothing that is not found later', async () => {
    const home = join(tempFolder(), 'home')
    for (let life = 0; life < KILLS; life++) {
      const child = start([], { home })
      const closed = once(child, 'close')
      child.stdin?.write(`remember the quokka${life}x\nand the axolotl${life}x\n`)
      // Not by what it prints: that may be what an earlier life left to be shown.
      await expect.poll(async () => wordsIn(home), { interval: 20 }).toContain(`axolotl${life}x`)
      child.stdin?.write(`/recall quokka${life}x\nlast was wombat${life}x\n`)
      await sleep(life * 20)
      child.kill('SIGKILL')
      await closed
      const words = [`quokka${life}x`, `axolotl${life}x`]
      for (const word of words) expect(textsOf(await found(home, word)).join('\n')).toContain(word)
    }
    await expectAllFound(home)
  })

  test.each(['format-1', 'format-2'])(
    '[RECALL2] while it indexes the log of an earlier release (%s) leaves nothing that is not found later',
    async (format) => {
      const home = join(tempFolder(), 'home')
      mkdirSync(home)
      cpSync(join(FIXTURES, format, 'log.db'), join(home, 'log.db'))
      for (let kill = 0; kill < 2; kill++) {
        const child = start(['recall', 'lamp'], { home })
        const closed = once(child, 'close')
        await Promise.race([until(() => recallState(home).kind === 'indexed'), closed])
        child.kill('SIGKILL')
        await closed
      }
      await openForWriting({ home, command: 'test' }).close()
      await expectAllFound(home)
      const { code, err } = await run(['recall', 'the'], { home })
      expect({ code, err }).toEqual({ code: 0, err: '' })
    },
  )
})

describe('two processes', () => {
  test('[RECALL2] that index one log at the same time both find everything, without an error', async () => {
    const home = join(tempFolder(), 'home')
    await oldHome(home, OLD_MESSAGES / 4)
    const other = await openOtherWriter(home)
    for (let round = 0; round < 2; round++) {
      if (round > 0) removeIndex(home)
      const position = await other.say(`the pangolin${round}x sleeps`)
      const asked = await Promise.all([
        found(home, `pangolin${round}x`),
        found(home, `pangolin${round}x`),
        found(home, uniqueWord(round)),
      ])
      expect(asked.map(({ hits }) => hits[0]?.position)).toEqual([position, position, round + 2])
      expect(asked.map(({ behind }) => behind.events)).toEqual([0, 0, 0])
    }
    await other.close()
    await expectAllFound(home)
  })

  test('[RECALL2] one that talks and one that searches find what was just said, without an error', async () => {
    const home = join(tempFolder(), 'home')
    await oldHome(home, OLD_MESSAGES / 4)
    const child = start([], { home })
    const [out, err] = [collect(child.stdout), collect(child.stderr)]
    const closed = once(child, 'close') as Promise<[number | null]>
    for (let round = 0; round < 2; round++) {
      const before = out().length
      child.stdin?.write(`the narwhal${round}x swims\n`)
      await until(() => out().length > before)
      child.stdin?.write(`/recall narwhal${round}x\n`)
      const { hits } = await found(home, `narwhal${round}x`)
      expect(hits.map(({ text }) => text).join('\n')).toContain(`narwhal${round}x swims`)
      await until(() => out().includes(`narwhal${round}x swims`))
    }
    child.stdin?.end()
    const [code] = await closed
    // On a slow machine it says how far it is.
    const trouble = err().replaceAll(/^mainstem: (First start|Indexing|Making vectors).*\n/gm, '')
    expect({ code, trouble }).toEqual({ code: 0, trouble: '' })
    await expectAllFound(home)
  })
})

function removeIndex(home: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(join(home, `recall.db${end}`), { force: true })
}

interface Answer {
  readonly hits: readonly { readonly position: number; readonly text: string }[]
  readonly behind: { readonly events: number; readonly vectors: number }
}

async function found(home: string, word: string): Promise<Answer> {
  const { code, out, err } = await runProcess(['recall', '--json', word], { home })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return JSON.parse(out) as Answer
}

function textsOf({ hits }: Answer): string[] {
  return hits.map(({ text }) => text)
}

/** False when it was ready before. */
async function killWhile(
  home: string,
  { what, afterMs }: { what: 'words' | 'vectors'; afterMs: number },
): Promise<boolean> {
  const doneIn = (state: RecallState): number => {
    if (state.kind !== 'indexed') return 0
    return what === 'words' ? state.documents : (state.vectors[0]?.count ?? 0)
  }
  const before = doneIn(recallState(home))
  const child = start(['recall', 'lamp'], { home })
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  await Promise.race([until(() => doneIn(recallState(home)) > before), closed])
  await Promise.race([sleep(afterMs), closed])
  child.kill('SIGKILL')
  await closed
  const after = doneIn(recallState(home))
  return after > before && after < OLD_MESSAGES
}

/** What reading all of the log finds for a word is what a search finds. */
async function expectAllFound(home: string): Promise<void> {
  const log = openForReading(home)
  const heard: unknown[] = []
  const hear = (what: unknown) => heard.push(what)
  const recall = openHomeRecall({ home, log, values: usualValues, warn: hear, fail: hear })
  const rare = (await naivePlaces(log)).filter(({ positions }) => positions.size <= LIMIT / 2)
  const step = Math.max(1, Math.floor(rare.length / LOOKED_FOR))
  for (let at = rare.length - 1; at >= 0; at -= step) {
    const { word, positions } = rare[at] as Places
    const seen = await placesOf(recall, word, { isPatient: true, limit: LIMIT, by: 'words' })
    expect([word, [...positions].filter((position) => !seen.includes(position))]).toEqual([word, []])
  }
  expect(heard).toEqual([])
  await recall.close()
  await log.close()
}

async function wordsIn(home: string): Promise<string[]> {
  const log = openForReading(home)
  const places = await naivePlaces(log)
  await log.close()
  return places.map(({ word }) => word)
}

async function until(holds: () => boolean): Promise<void> {
  await expect.poll(holds, { interval: 3 }).toBe(true)
}
