import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../test/cli/run.ts'
import { onItsWayIn } from './on-its-way.ts'

const NOW = Date.UTC(2026, 2, 1)

function noted(): string {
  const home = tempFolder()
  const process = onItsWayIn(home, () => NOW)
  process.last(10)
  process.note(new Set([12, 14]))
  return home
}

test('[SEND1] the next process finds what was on its way', () => {
  const home = noted()
  const next = onItsWayIn(home, () => NOW + 1_000)
  expect(next.last(15)).toEqual(new Set([12, 14]))
  next.note(new Set())
  expect(onItsWayIn(home, () => NOW).last(15)).toEqual(new Set())
})

test('[SEND1] after another boot of the machine, or with an older copy of the log, nobody knows', () => {
  const home = noted()
  expect(onItsWayIn(home, () => NOW + 60_000).last(15)).toBeUndefined()
  expect(onItsWayIn(home, () => NOW).last(13)).toBeUndefined()
})

test('[SEND1] without the file, or with something else in its place, nobody knows', () => {
  expect(onItsWayIn(tempFolder(), () => NOW).last(15)).toBeUndefined()
  const home = noted()
  const file = join(home, 'run', 'sending.json')
  writeFileSync(file, readFileSync(file, 'utf8').slice(0, -2))
  expect(onItsWayIn(home, () => NOW).last(15)).toBeUndefined()
  rmSync(file)
  execFileSync('mkfifo', [file])
  const next = onItsWayIn(home, () => NOW)
  expect(next.last(15)).toBeUndefined()
  next.note(new Set([15]))
  expect(next.last(15)).toEqual(new Set([15]))
})

test('[SEND1] what cannot be noted leaves no older note behind', () => {
  const home = noted()
  mkdirSync(join(home, 'run', 'sending.json.new'))
  const next = onItsWayIn(home, () => NOW)
  next.note(new Set([15]))
  expect(next.last(15)).toBeUndefined()
})
