import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { assert } from '../src/base/assert.ts'
import { branchesByHandle, getBranch } from '../src/context/branch.ts'
import { show } from '../src/context/prompt.ts'
import { listOf, marksOf } from '../src/context/version.ts'
import { kinds } from '../src/event/event.ts'
import { LOG_FORMAT } from '../src/event/format.ts'
import type { Position } from '../src/event/id.ts'
import type { Reader } from '../src/event/table.ts'
import { exportToFile } from '../src/runtime/store/export.ts'
import { openForReading, openForWriting } from '../src/runtime/home/open-log.ts'
import { tellAgentStory } from './agent-story.ts'
import { tellJobStory } from './job-story.ts'
import { tellPeopleStory } from './people-story.ts'
import { tellStory } from './fixture-story.ts'

/**
 * Makes the log that stands for a release in `test/fixtures/logs`. A released one is never made again: it is there
 * to prove that later programs open what this one wrote (LOG5).
 */
async function makeFixture(): Promise<void> {
  const name = `format-${LOG_FORMAT}`
  const folder = fileURLToPath(new URL(`../test/fixtures/logs/${name}`, import.meta.url))
  if (existsSync(folder) && !process.argv.includes('--force')) {
    throw new Error(
      `${folder} is there already; what was released is not made again (--force before a release)`,
    )
  }
  const home = mkdtempSync(join(tmpdir(), 'mainstem-fixture-'))
  const log = openForWriting({ home, command: 'make-fixture' })
  await log.write(tellStory)
  await tellAgentStory(log)
  await tellJobStory(log)
  await tellPeopleStory(log)
  await log.write((writing) => {
    const { branch, at } = writing.event(writing.end as Position)
    return writing.append({ kind: 'import-closed', branch, at })
  })
  const seen = new Set<string>()
  for await (const event of log.events()) seen.add(event.kind)
  const missing = kinds.filter((kind) => !seen.has(kind))
  assert(missing.length === 0, `the story lacks ${missing.join(', ')}`)
  await log.close()

  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await exportToFile(home, { file: join(folder, `${name}.jsonl`), overwrite: 'refuse' })
  const reading = openForReading(home)
  const lists = await reading.read(recordedLists)
  await reading.close()
  writeFileSync(join(folder, 'lists.json'), `${JSON.stringify(lists, undefined, 1)}\n`)
  renameSync(join(home, 'log.db'), join(folder, 'log.db'))
  rmSync(home, { recursive: true })
  console.log(`${folder}: ${statSync(join(folder, 'log.db')).size} bytes, ${lists.length} branches`)
}

/** What every branch shows, for later programs to compare with. */
export function recordedLists(reader: Reader): object[] {
  return branchesByHandle(reader, '', Number.MAX_SAFE_INTEGER).map((id) => {
    const branch = getBranch(reader, id)
    const items = listOf(reader, branch)
    const shows = show(reader, items).map((one) =>
      one.kind === 'message' ? one.event.position : `${one.ref.summary}/${one.ref.part}: ${one.summary.text}`,
    )
    return { branch: id, state: branch.state, items, marks: marksOf(reader, branch), shows }
  })
}

if (import.meta.main) await makeFixture()
