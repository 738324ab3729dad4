import type { BranchId } from '../src/event/id.ts'
import type { Writing } from '../src/event/table.ts'
import { Acts } from './acts.ts'
import {
  copyOf,
  itemsOf,
  mainOf,
  OLD_MARK,
  openLog,
  remove,
  withCopies,
  type Data,
  type Opened,
  type Size,
} from './data.ts'
import { interleave, median, timed, type Case, type Samples } from './measure.ts'
import { atMost, type Measure } from './report.ts'

const ROUNDS = { rounds: 30, perRound: 10 }
const OPENINGS = 15
const LONG_LIST = 300
const APPEND = 'append'
const OLD_REWIND = 'rewind to a mark at message 30'
const APPENDS_MAX = 3
const FLAT_MAX = 1.25

/** What people do with a context, each against one durable append in the same log, in all logs at once. */
export async function measureOperations(data: Data): Promise<Measure[]> {
  const copies = [
    ...data.sizes.map((size) => ({ name: `${size.toLocaleString('en')} messages`, size })),
    { name: `${LONG_LIST} items in the list`, size: data.sizes[0] as Size },
  ]
  const measures = await withCopies(data, copies, async (opened) => {
    const scenes: Scene[] = []
    for (const [index, { name }] of copies.entries())
      scenes.push(await makeScene(name, opened[index] as Opened))
    await lengthen(scenes.at(-1) as Scene)
    for (const scene of scenes) await setTheStage(scene)
    const samples = await interleave(scenes.flatMap(casesOf), ROUNDS)
    // By itself and last: marks stay, and every other act reads them.
    const marks = await interleave(
      scenes.flatMap((scene) => [appendCase(scene), markCase(scene)]),
      ROUNDS,
    )
    return [...report(samples, scenes, casesOf), ...report(marks, scenes, (scene) => [markCase(scene)])]
  })
  return [...measures, await firstOldRewind(data)]
}

interface Scene {
  readonly name: string
  readonly opened: Opened
  readonly acts: Acts
  readonly main: BranchId
  /** Where the append goes that everything is compared with, so that main stays as it is. */
  readonly side: BranchId
}

async function makeScene(name: string, opened: Opened): Promise<Scene> {
  const acts = new Acts(3)
  const side = await opened.log.write((writing) => acts.root(writing))
  return { name, opened, acts, main: mainOf(opened.store), side }
}

/** Rewinds to new marks until the list is long, as one who steers by hand would. */
async function lengthen({ opened, acts, main }: Scene): Promise<void> {
  for (let n = 0; (await itemsOf(opened, main)) < LONG_LIST; n++) {
    await opened.log.write((writing) => {
      acts.mark(writing, main, `m${n}`)
      for (let said = 0; said < 3; said++) acts.say(writing, main)
      acts.rewind(writing, main)
      for (let said = 0; said < 2; said++) acts.say(writing, main)
    })
  }
}

/** A newest mark to rewind to, with a few messages behind it. */
async function setTheStage({ opened, acts, main }: Scene): Promise<void> {
  await opened.log.write((writing) => {
    acts.mark(writing, main, 'near')
    for (let said = 0; said < 5; said++) acts.say(writing, main)
  })
}

function appendCase({ name, opened, acts, side }: Scene): Case {
  let draft = acts.draft(side)
  return {
    name: `${APPEND}, ${name}`,
    prepare: async () => {
      draft = acts.draft(side)
    },
    run: () => opened.log.write((writing) => writing.append(draft)),
  }
}

function markCase({ name, opened, acts, main }: Scene): Case {
  return { name: `mark, ${name}`, run: () => opened.log.write((writing) => acts.mark(writing, main, 'here')) }
}

/** All but mark, each of which leaves main as it was. */
function casesOf(scene: Scene): Case[] {
  const { opened, acts, main } = scene
  const named = (act: string) => `${act}, ${scene.name}`
  const write = (work: (writing: Writing) => unknown) => () => opened.log.write(work)
  const restore = write((writing) => acts.undo(writing, main))
  const rewind = write((writing) => acts.rewind(writing, main))
  let fork = main
  const prepareFork = async () => {
    fork = await opened.log.write((writing) => acts.fork(writing, main))
    await opened.log.write((writing) => acts.say(writing, fork))
  }
  const afterOld = { take: 'after-mark', name: OLD_MARK } as const
  return [
    appendCase(scene),
    { name: named('fork'), run: write((writing) => acts.fork(writing, main)) },
    {
      name: named('fork from a mark at message 30'),
      run: write((writing) => acts.fork(writing, main, afterOld)),
    },
    { name: named('rewind to the newest mark'), run: rewind, restore },
    { name: named(OLD_REWIND), run: write((writing) => acts.rewind(writing, main, OLD_MARK)), restore },
    { name: named('undo'), prepare: rewind, run: restore },
    { name: named('clear'), run: write((writing) => acts.clear(writing, main)), restore },
    { name: named('save'), prepare: prepareFork, run: write((writing) => acts.save(writing, fork)), restore },
  ]
}

function report(samples: Samples, scenes: readonly Scene[], cases: (scene: Scene) => Case[]): Measure[] {
  const acts = scenes.map((scene) =>
    cases(scene)
      .map(({ name }) => name)
      .filter((name) => !name.startsWith(APPEND)),
  )
  const [first] = acts as [string[]]
  // The last scene is the long list; before it stands the longest log.
  const longest = acts.at(-2) as string[]
  return first.flatMap((shortest, act) => [
    ...scenes.map((scene, index) => againstAppend(samples, scene, acts[index]?.[act] as string)),
    againstShortest(samples, longest[act] as string, shortest),
  ])
}

function againstAppend(samples: Samples, scene: Scene, name: string): Measure {
  const append = `${APPEND}, ${scene.name}`
  return {
    group: 'operations',
    measure: name,
    value: samples.median(name),
    unit: 'ms',
    comparedWith: { name: '÷ one append', value: samples.median(append) },
    ratio: samples.ratio(name, append),
    goal: atMost(APPENDS_MAX),
  }
}

function againstShortest(samples: Samples, name: string, shortest: string): Measure {
  return {
    group: 'operations',
    measure: `flat: ${name}`,
    value: samples.median(name),
    unit: 'ms',
    comparedWith: { name: '÷ 1,000 messages', value: samples.median(shortest) },
    ratio: samples.ratio(name, shortest),
    goal: atMost(FLAT_MAX),
  }
}

/** As after a restart, when nothing that was read before is in memory: for information, not a promise. */
async function firstOldRewind(data: Data): Promise<Measure> {
  const size = data.sizes.at(-1) as Size
  const file = copyOf(data, 'restarted', size)
  const [rewinds, appends]: [number[], number[]] = [[], []]
  for (let n = 0; n < OPENINGS; n++) {
    const opened = openLog(file)
    const acts = new Acts(4 + n)
    const main = mainOf(opened.store)
    const side = await opened.log.write((writing) => acts.root(writing))
    const append = appendCase({ name: '', opened, acts, main, side })
    await timed(append)
    appends.push(await timed(append))
    const rewind = () => opened.log.write((writing) => acts.rewind(writing, main, OLD_MARK))
    const restore = () => opened.log.write((writing) => acts.undo(writing, main))
    rewinds.push(await timed({ name: '', run: rewind, restore }))
    await opened.log.close()
  }
  remove(file)
  return {
    group: 'operations',
    measure: `${OLD_REWIND}, ${size.toLocaleString('en')} messages, first after opening`,
    value: median(rewinds),
    unit: 'ms',
    comparedWith: { name: '÷ one append', value: median(appends) },
    ratio: median(rewinds.map((ms, n) => ms / (appends[n] as number))),
  }
}
