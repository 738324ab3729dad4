import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { shownAt } from '../../src/base/zone-time.ts'
import type { PromptCall, PromptMessage } from '../../src/event/prompt.ts'
import { readWhen } from '../../src/schedule/when.ts'
import { askOffline, user } from './offline-asking.ts'

interface HeldOut {
  readonly now: string
  readonly wishes: readonly { readonly say: string; readonly do: readonly string[] }[]
  readonly other: readonly string[]
}

const heldOut: HeldOut = JSON.parse(
  readFileSync(new URL('../fixtures/offline-reminder-held-out.json', import.meta.url), 'utf8'),
)
const place = { now: Date.parse(heldOut.now), zone: 'Europe/Berlin' }

const LISTS: Readonly<Record<string, string>> = {
  list_reminders: [
    'rent: today 22:00, in 13 h: the rent',
    'call-mum: tomorrow 09:00, in 24 h: call mum',
    'parcel: Friday 18:00, in 5 days: pick up the parcel',
    'dentist: Thursday 2026-12-03 08:15, in 277 days: the dentist',
  ].join('\n'),
  todo_list: [
    'todo.md, 4 open, 0 done:',
    '1. [ ] buy milk',
    '2. [ ] renew passport (due 2026-03-06 09:00)',
    '3. [ ] call the plumber',
    '4. [ ] water the plants',
  ].join('\n'),
}

/** What is called in the end, the looks before it left out; `ask` and the words where nothing is. */
async function doneFor(say: string): Promise<string[]> {
  const messages: PromptMessage[] = [user(`[2026-03-01 Sun 09:30 Europe/Berlin]\n\n${say}`)]
  const first = await askOffline(messages)
  const calls = first.calls.flatMap((call) => ('args' in call ? call : []))
  const results = calls.map(({ id, tool }): PromptMessage => {
    return { role: 'tool', call: id, tool, text: JSON.stringify({ text: LISTS[tool] ?? 'done' }) }
  })
  const step: PromptMessage = { role: 'assistant', text: first.text, reasoning: [], calls }
  const last = await askOffline([...messages, step, ...results])
  const more = last.calls.flatMap((call) => ('args' in call ? call : []))
  const done = await Promise.all((more.length > 0 ? more : calls).map(callText))
  return done.length > 0 ? done : [`ask ${first.text}`]
}

async function callText({ tool, args }: PromptCall): Promise<string> {
  const { when, due, ...others } = args as Record<string, string>
  const time = when ?? due
  const words = [tool, ...Object.values(others)].join(' ')
  return time === undefined ? words : `${words} @ ${await timeText(time)}`
}

async function timeText(time: string): Promise<string> {
  const read = await readWhen(time, place)
  if ('problem' in read) return read.problem
  return new Date(shownAt(read.at, place.zone)).toISOString().slice(0, 16).replace('T', ' ')
}

function isSame(done: readonly string[], wanted: readonly string[]): boolean {
  const fits = (one: string, at: number): boolean => {
    const want = (wanted[at] ?? '').toLowerCase()
    return want.startsWith('ask ') ? one.toLowerCase().startsWith(want) : one.toLowerCase() === want
  }
  return done.length === wanted.length && done.every(fits)
}

/** Does something that is not looking, and was not meant. */
function isWrong(done: readonly string[], wanted: readonly string[]): boolean {
  const acts = done.filter((one) => !/^(?:ask|recall|list_reminders|todo_list)\b/u.test(one))
  return acts.some((one) => !wanted.some((want) => want.split(' ')[0] === one.split(' ')[0]))
}

/**
 * Written when the rules were done: 74 of 84 at first sight, none acted on wrongly. Then one line of the list was wrong,
 * and three bugs were mended (78 of 84). Nobody tunes the rules to them: who mends more than a bug writes a new list.
 */
test('of wishes that the rules were not made with, at least nine of ten are understood, and nothing else is done', async () => {
  const outcomes = await Promise.all(
    heldOut.wishes.map(async ({ say, do: wanted }) => {
      const done = await doneFor(say)
      return { say, done, wanted, isRight: isSame(done, wanted), isWrong: isWrong(done, wanted) }
    }),
  )
  const right = outcomes.filter(({ isRight }) => isRight)
  console.log(`held out (reminders and to-dos): ${right.length} of ${outcomes.length} understood`)
  expect(outcomes.length).toBeGreaterThanOrEqual(60)
  expect(right.length / outcomes.length).toBeGreaterThanOrEqual(0.92)
  expect(outcomes.filter((outcome) => outcome.isWrong)).toEqual([])
})

test('what only sounds like a wish sets, lists and cancels nothing', async () => {
  const touched = await Promise.all(
    heldOut.other.map(async (say) => {
      const { calls } = await askOffline([user(say)])
      return calls.filter(({ tool }) => tool !== 'recall').map(({ tool }) => `${tool}: ${say}`)
    }),
  )
  expect(touched.flat()).toEqual([])
})
