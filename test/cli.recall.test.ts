import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openForWriting } from '../src/runtime/home/open-log.ts'
import { openOtherWriter, run, tempFolder } from './cli/run.ts'
import { Scene } from './model/scene.ts'

/** A home whose log was written by a program that knew no recall. */
async function oldHome(acts: (scene: Scene) => void): Promise<string> {
  const home = join(tempFolder(), 'home')
  const log = openForWriting({ home, command: 'test' })
  await log.write((writing) => {
    const scene = new Scene(writing)
    scene.at = Date.UTC(2026, 2, 1, 8, 30)
    scene.root('main')
    acts(scene)
  })
  await log.close()
  return home
}

const holidays = (on: Scene): void => {
  on.turn('main', 'We fly to Sicily in May')
  on.at += 86_400_000
  on.turn('main', 'The dentist is called Meyer')
  on.clear('main')
  on.turn('main', 'It rains')
}

interface Answer {
  query: string
  hits: { position: number; at: string; kind: string; label: string | null; text: string }[]
  more: boolean
  behind: { events: number }
}

function placed({ hits }: Answer): string[] {
  return hits.map(({ position, text }) => `${position} ${text}`)
}

async function found(home: string, ...args: string[]): Promise<Answer> {
  const { code, out, err } = await run(['recall', '--json', ...args], { home })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return JSON.parse(out) as Answer
}

describe('mainstem recall', () => {
  test('finds what was said in a log that was never searched, and says when, by whom, where and what became of it', async () => {
    const home = await oldHome(holidays)
    const { code, out, err } = await run(['recall', '--by', 'me', 'Sicily'], { home })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out.split('\n').slice(0, 2)).toEqual([
      '2026-03-01 Sun 08:30, you, main at 3 (cleared)',
      '  We fly to Sicily in May',
    ])
  })

  test('--json gives all there is to know', async () => {
    const home = await oldHome(holidays)
    const { query, hits, behind } = await found(home, 'dentist', 'called', '--by', 'me')
    expect({ query, behind: behind.events }).toEqual({ query: 'dentist called', behind: 0 })
    expect(hits[0]).toMatchObject({
      at: '2026-03-02T08:30:00.000Z',
      kind: 'user',
      label: 'cleared',
      text: 'The dentist is called Meyer',
    })
  })

  test('--why explains the order', async () => {
    const { out } = await run(['recall', '--why', 'dentist'], { home: await oldHome(holidays) })
    expect(out).toMatch(/^ {2}score [01]\.\d\d = .*words [01]\.\d\d.* × age [01]\.\d\d; it has dentist$/m)
  })

  test('--since, --until and --limit narrow it down', async () => {
    const home = await oldHome((on) => {
      for (let day = 0; day < 4; day++) {
        on.say('main', { role: 'user', text: `tea number ${day}` })
        on.at += 86_400_000
      }
    })
    const texts = async (...args: string[]) =>
      (await found(home, ...args)).hits.map(({ text }) => text).toSorted()
    expect(await texts('tea', '--since', '2026-03-03')).toEqual(['tea number 2', 'tea number 3'])
    expect(await texts('tea', '--until', '2026-03-01')).toEqual(['tea number 0'])
    expect(await found(home, 'tea', '--limit', '3')).toMatchObject({ more: true, hits: { length: 3 } })
  })

  test('works while another process writes, and finds what it just said', async () => {
    const home = await oldHome(holidays)
    const other = await openOtherWriter(home)
    const position = await other.say('the quokka is awake')
    expect((await found(home, 'quokka')).hits).toMatchObject([{ position, text: 'the quokka is awake' }])
    await other.say('the axolotl is asleep')
    expect((await found(home, 'axolotl')).hits[0]).toMatchObject({ text: 'the axolotl is asleep' })
  })

  test('what it has learnt of a log can be thrown away at any time', async () => {
    const home = await oldHome(holidays)
    const before = await found(home, 'dentist')
    const index = join(home, 'recall.db')
    expect(existsSync(index)).toBe(true)
    for (const end of ['', '-wal', '-shm']) rmSync(`${index}${end}`, { force: true })
    expect(placed(before)[0]).toContain('dentist')
    expect(placed(await found(home, 'dentist'))).toEqual(placed(before))
  })

  test('nothing found is said, and is no failure', async () => {
    const { code, out } = await run(['recall', '--since', '2030', 'dentist'], {
      home: await oldHome(holidays),
    })
    expect({ code, out }).toEqual({
      code: 0,
      out: "Nothing was found for 'dentist'. Try other or fewer words, or no options.\n",
    })
  })

  test('a name that nobody bears is told, with whom --by takes', async () => {
    const { code, out } = await run(['recall', '--by', 'Bob', 'dentist'], { home: await oldHome(holidays) })
    expect({ code, out }).toEqual({
      code: 0,
      out: "Nothing was found for 'dentist': nobody called 'Bob' ever spoke here. --by takes me and you (the assistant); nobody else spoke.\n",
    })
  })

  test('what nobody ever said is never told as found: at most a few that are near, and it is said', async () => {
    const home = await oldHome(holidays)
    const { out } = await run(['recall', 'xylophone'], { home })
    expect(out).toMatch(/^(?:Nothing was found for 'xylophone'\.|None of the words was found\.)/)
    expect((await found(home, 'xylophone')).hits.length).toBeLessThanOrEqual(3)
  })

  test('a slip of the fingers is mended, and the word that was looked for is told', async () => {
    const { out } = await run(['recall', 'Sicliy'], { home: await oldHome(holidays) })
    expect(out.split('\n')[0]).toBe("Looked for 'Sicily' instead of 'Sicliy'.")
    expect(out).toContain('We fly to Sicily in May')
  })

  test.each([
    [['recall'], /Missing WORDS\. Usage: mainstem recall WORDS/],
    [['recall', '?!'], /\?!' has no word to search for/],
    [['recall', '--since', 'ever', 'tea'], /Could not read 'ever' as a time\. Write 2026-03-01/],
    [['recall', '--limit', '0', 'tea'], /'--limit 0' is not a number from 1 to 200/],
    [['recall', '--limit', '201', 'tea'], /'--limit 201' is not a number from 1 to 200/],
    [['recall', '--since', '2026-03-02', '--until', '2026-03-01', 'tea'], /--since is after --until/],
    [['recall', '--whi', 'tea'], /did you mean '--why'\?/],
  ])('%j is not understood', async (args, error) => {
    const { code, err } = await run(args, { home: await oldHome(holidays) })
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(error) })
  })

  test('a home without a log is named, as by log', async () => {
    const [recall, log] = await Promise.all([run(['recall', 'tea']), run(['log'])])
    expect(recall).toEqual(log)
  })
})
