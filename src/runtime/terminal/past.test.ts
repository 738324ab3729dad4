import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { background, ping } from '../../../test/agent/background.ts'
import { jobStage } from '../../../test/agent/job-rig.ts'
import { child, ended, lastText, ruled, slowly } from '../../../test/agent/rig.ts'
import type { Stage } from '../../../test/agent/stage.ts'
import { receive } from '../../command/door/reception.ts'
import type { Entry } from '../../channel/terminal/port.ts'
import { pastOf, shownTo } from './past.ts'
import { fileChoices, knownIn } from './status-line.ts'

function past(at: Stage): Promise<readonly Entry[]> {
  const waiting = { now: at.clock.now(), isRunning: () => false }
  return at.read((reader) => pastOf(reader, { ...waiting, shown: shownTo(reader) }).entries)
}

/** What can be said to any ping. */
const every = (number: number) =>
  ['/done N', '/snooze N 10m', '/snooze N 1h', '/snooze N tomorrow', '/less N'].map((command) => ({
    command: command.replace('N', String(number)),
  }))

test('what came from the background is found again with its number, its card and who wrote it', async () => {
  const embed = { title: 'Build', fields: [{ name: 'Branch', value: 'main' }] }
  const at = await background([
    [['send_embed', { ...embed, buttons: [{ label: 'Retry' }] }]],
    [ping('b', true)],
  ])
  await at.run()
  const again = await background([], { seed: 8, ...(await ended(at)) })
  expect((await past(again)).filter(({ kind }) => kind === 'ping')).toMatchObject([
    { number: 1, from: 'routine brief', embed, choices: [{ label: 'Retry', command: 'Retry' }, ...every(1)] },
    { number: 2, from: 'routine brief', text: 'b', choices: every(2), isCritical: true },
  ])
})

test('an answer that nobody asked for is found with the job that fell due', async () => {
  const at = await jobStage({ rule: (prompt) => ({ text: `heard: ${lastText(prompt)}` }) })
  await at.say('hello')
  await at.put('reminders/dog.md', '---\nrun-at: 2026-03-01T10:00\n---\nFeed it.')
  await at.pass(3_600_000)
  await at.say('thanks')
  expect(
    (await past(at)).flatMap((entry) => (entry.kind === 'answer' ? (entry.job ?? 'asked') : [])),
  ).toEqual(['asked', 'reminder dog', 'asked'])
})

test('what was said to main on another channel is found with its answer and its channel, and is no line that was typed here', async () => {
  const at = await jobStage({ rule: (prompt) => ({ text: `heard: ${lastText(prompt)}` }) })
  await at.say('hello')
  const words = { origin: 'token', person: 'owner', messageId: 'a', text: 'from a program' } as const
  await receive(at.desk, { channel: 'v1', conversation: 'programs', ...words })
  await at.settle()
  expect((await past(at)).slice(-2)).toMatchObject([
    { kind: 'said', text: 'from a program', place: 'the API' },
    { kind: 'answer', text: 'heard: from a program' },
  ])
  const waiting = { now: at.clock.now(), isRunning: () => false, shown: 0 }
  expect(await at.read((reader) => pastOf(reader, waiting).typed)).toEqual(['hello'])
})

test('a reply is found again as it was typed, once, and the answer says of which fork it is', async () => {
  const at = await background([[ping('a')]])
  await at.run()
  await at.say('/reply 1 Who?')
  const fork = await child(at)
  const entries = await past(at)
  expect(entries.flatMap((entry) => (entry.kind === 'said' ? entry.text : []))).toEqual([
    '/run routines/brief.md',
    '/reply 1 Who?',
  ])
  expect(entries.at(-1)).toMatchObject({ kind: 'answer', branch: fork, from: `fork ${fork}` })
})

test('the newest numbers are offered first, with who wrote them and how they begin', async () => {
  const at = await background([[ping('a\nb', true)]])
  for (let run = 1; run <= 11; run++) await at.run()
  const branch = await at.branch()
  const { NUMBER: numbers } = await at.read((reader) => knownIn(reader, { branch }, at.desk))
  expect(numbers.map(({ word }) => word)).toEqual(['11', '10', '9', '8', '7', '6', '5', '4', '3', '2'])
  expect(numbers[0]?.help).toBe('routine brief: a b')
})

test('models, job ids and files of the workspace are offered, each with its own description', async () => {
  const root = mkdtempSync(join(tmpdir(), 'mainstem-known-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  mkdirSync(join(root, 'jobs', 'deep'), { recursive: true })
  writeFileSync(join(root, 'jobs', 'brief.md'), '---\ndescription: News, briefly\n---\nLook at the news.\n')
  writeFileSync(join(root, 'jobs', 'build.md'), '---\nisolated: true\n---\n\nLook at\nthe build.\n')
  writeFileSync(join(root, 'jobs', 'deep', 'no.md'), 'Too deep.')
  const at = await background([])
  const branch = await at.branch()
  const { desk } = at
  const known = await at.read((reader) => knownIn(reader, { branch }, desk))
  expect(fileChoices(root).toSorted((a, b) => (a.word < b.word ? -1 : 1))).toEqual([
    { word: 'jobs/brief.md', help: 'News, briefly' },
    { word: 'jobs/build.md', help: 'Look at the build.' },
  ])
  expect(known.MODEL.map(({ word }) => word)).toContain('anthropic/claude-sonnet-5')
  expect(known.MODEL[0]).toMatchObject({
    word: desk.settings().model,
    help: expect.stringMatching(/^in use; /) as string,
  })
  expect(known.MODEL.at(-1)).toEqual({
    word: 'offline',
    help: 'a few fixed rules; needs no key and no network',
  })
  expect(new Set(known.TOOL.map(({ help }) => help)).size).toBe(known.TOOL.length)
})

/** The answers, each with whether it would be said of whom it is. */
async function answers(at: Stage): Promise<readonly string[]> {
  return (await past(at)).flatMap((entry) =>
    entry.kind === 'answer' ? `${entry.shown === entry.branch ? '' : 'From: '}${entry.text}` : [],
  )
}

test('after a restart in a fork or in main, what was said in either is nobody else’s', async () => {
  const at = await ruled((prompt) => ({ text: `heard: ${lastText(prompt)}` }))
  for (const line of ['in main', '/fork --enter', 'in the fork', '/switch main', 'in main again'])
    await at.say(line)
  const told = ['heard: in main', 'heard: in the fork', 'heard: in main again']
  const again = await ruled(() => ({ text: '' }), { seed: 8, ...(await ended(at)) })
  expect(await answers(again)).toEqual(told)
  await again.say(`/switch ${await child(again)}`)
  const last = await ruled(() => ({ text: '' }), { seed: 9, ...(await ended(again)) })
  expect(await answers(last)).toEqual(told)
})

test('what another branch answered meanwhile is found again as such', async () => {
  const slow = slowly({ text: 'late' })
  const at = await ruled((prompt, signal) =>
    lastText(prompt) === 'think' ? slow.reply(signal) : { text: 'ok' },
  )
  await at.say('hello')
  await at.say('/fork --enter')
  await at.type('think')
  await slow.begun.opened
  await at.type('/switch main')
  slow.go.open()
  await at.settle()
  expect(await answers(at)).toEqual(['ok', 'From: late'])
})
