import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recordedLists } from '../scripts/make-fixture.ts'
import { rebuildPrompt, type Recorded } from '../src/agent/turn/call-prompt.ts'
import { LOG_FORMAT } from '../src/event/format.ts'
import { examine } from '../src/runtime/store/doctor.ts'
import { exportLog } from '../src/runtime/store/export.ts'
import { openForReading, openForWriting } from '../src/runtime/home/open-log.ts'
import { FIXTURES, tempFolder } from './cli/run.ts'

test.each(readdirSync(FIXTURES))(
  '[LOG5] [CTX2] every log ever released still opens, and holds and shows what it did: %s',
  async (name) => {
    const home = tempFolder()
    cpSync(join(FIXTURES, name, 'log.db'), join(home, 'log.db'))
    const recorded: object[] = JSON.parse(readFileSync(join(FIXTURES, name, 'lists.json'), 'utf8'))

    const writing = openForWriting({ home, command: 'test' })
    expect(await writing.read(recordedLists)).toMatchObject(recorded)
    await writing.close()
    const reading = openForReading(home)
    expect(await reading.read(recordedLists)).toMatchObject(recorded)
    await reading.close()

    const findings = [...examine({ home, rebuild: 'always' })]
    expect(findings.filter(({ verdict }) => verdict !== 'ok')).toEqual([])
    const tables = findings.find(({ check }) => check === 'tables')?.lines ?? []
    expect(tables.length).toBeGreaterThan(0)
    expect(tables.filter((line) => !line.includes(' unchanged, '))).toEqual([])

    const again = openForReading(home)
    expect(await again.read(recordedLists)).toMatchObject(recorded)
    await again.close()
    let exported = ''
    await exportLog(home, (line) => {
      exported += line
    })
    expect(exported).toBe(readFileSync(join(FIXTURES, name, `${name}.jsonl`), 'utf8'))
  },
)

test('[CTX8] every prompt that a released program made is still made the same', async () => {
  let calls = 0
  for (const name of readdirSync(FIXTURES)) {
    const home = tempFolder()
    cpSync(join(FIXTURES, name, 'log.db'), join(home, 'log.db'))
    const log = openForWriting({ home, command: 'test' })
    const recorded = (await Array.fromAsync(log.events({ kind: 'model-called' }))) as Recorded[]
    for (const call of recorded)
      expect(
        await log.read((reader) => rebuildPrompt(reader, call).isSame),
        `${name}, ${call.position}`,
      ).toBe(true)
    calls += recorded.length
    await log.close()
  }
  expect(calls).toBeGreaterThan(5)
})

test('[LOG5] a log of this release is among them, small enough to keep for ever', () => {
  expect(readdirSync(FIXTURES)).toContain(`format-${LOG_FORMAT}`)
  for (const name of readdirSync(FIXTURES)) {
    expect(readFileSync(join(FIXTURES, name, 'log.db')).length).toBeLessThan(700_000)
    expect(readdirSync(join(FIXTURES, name)).toSorted()).toEqual([`${name}.jsonl`, 'lists.json', 'log.db'])
  }
})
