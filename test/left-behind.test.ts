import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { EventOf } from '../src/event/event.ts'
import { openForReading } from '../src/runtime/home/open-log.ts'
import { endLeftBehind, startTimeOf } from '../src/tool/process/left-behind.ts'
import { runProgram, type ProgramOrder } from '../src/tool/process/run-program.ts'
import { start, tempFolder } from './cli/run.ts'
import { programs, put, putSkill, toolsOf } from './skills/folders.ts'
import { call, newHome, reply, talkIn } from './skills/talk.ts'

/** Sleeps for ever with a child that does so too, and tells both ids. */
const SLEEPER = `
  const { spawn } = require('node:child_process'), { writeFileSync, renameSync } = require('node:fs')
  process.on('SIGTERM', () => undefined)
  const forEver = 'process.on("SIGTERM", () => undefined); setInterval(() => undefined, 1000)'
  const child = spawn(process.execPath, ['-e', forEver], { stdio: 'ignore' })
  const file = process.argv.at(-1).replace(/^.*=/, '')
  writeFileSync(file + '.new', process.pid + ' ' + child.pid)
  renameSync(file + '.new', file)
  setInterval(() => undefined, 1000)`

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(20)
}

async function startedIn(home: string): Promise<EventOf<'process-started'>[]> {
  const log = openForReading(home)
  const events = await Array.fromAsync(log.events({ kind: 'process-started' }))
  await log.close()
  return events as EventOf<'process-started'>[]
}

test('[TOOL3] a program that a kill -9 left behind is ended at the next start, and the model is told', async () => {
  const home = newHome()
  const path = programs({ sleeper: SLEEPER })
  const pids = join(tempFolder(), 'pids')
  putSkill(join(home, 'skills'), 'rest', { tools: toolsOf('sleeper', { rest: ['file'] }) })
  const script = put(join(tempFolder(), 'script.json'), JSON.stringify([call('rest', { file: pids })]))
  // In a box it would have died with its starter.
  const config = { model: `scripted:${script}`, permissions: 'bypassPermissions', sandbox: 'off' }
  put(join(home, 'config.json'), JSON.stringify(config))
  const owner = start([], { home, path })
  owner.stdin?.write('Rest a while.\n')
  const ended = once(owner, 'close')
  await until(() => existsSync(pids))
  await until(async () => (await startedIn(home)).length > 0)
  const [leader = 0, child = 0] = readFileSync(pids, 'utf8').split(' ').map(Number)
  onTestFinished(() => {
    for (const pid of [leader, child].filter(isAlive)) process.kill(pid, 'SIGKILL')
  })
  owner.kill('SIGKILL')
  await ended
  expect([leader, child].map(isAlive)).toEqual([true, true])
  expect(await startedIn(home)).toMatchObject([{ group: leader, startTime: startTimeOf(leader) }])

  const talk = await talkIn(home, { path, steps: [reply('Awake again.')] })
  await until(() => ![leader, child].some(isAlive))
  await until(async () => (await talk.events()).some(({ kind }) => kind === 'turn-ended'))
  const results = (await talk.events()).flatMap((event) =>
    event.kind === 'message-added' && event.message.role === 'tool' ? event.message : [],
  )
  expect(results).toMatchObject([{ tool: 'rest', synthetic: 'interrupted' }])
  expect(results[0]?.text).toBe(
    '{"error":"Interrupted before a result came. Its program was still running and was ended. It may or may not have been done; it was not run again."}',
  )
})

test('[TOOL3] an MCP server that a kill -9 left behind is ended at the next start, with its children', async () => {
  const home = newHome()
  const pids = join(tempFolder(), 'pids')
  const script = put(join(tempFolder(), 'server.cjs'), SLEEPER)
  const servers = { sleeper: { command: process.execPath, args: [script, pids] } }
  put(join(home, 'config.json'), JSON.stringify({ model: 'offline', sandbox: 'off', mcp: { servers } }))
  const owner = start([], { home })
  owner.stdin?.write('hello\n')
  const ended = once(owner, 'close')
  await until(() => existsSync(pids))
  const [server = 0, child = 0] = readFileSync(pids, 'utf8').split(' ').map(Number)
  onTestFinished(() => {
    for (const pid of [server, child].filter(isAlive)) process.kill(pid, 'SIGKILL')
  })
  const noted = `${server} ${startTimeOf(server)}\n`
  await until(() => existsSync(join(home, 'processes')))
  expect(readFileSync(join(home, 'processes'), 'utf8')).toBe(noted)
  owner.kill('SIGKILL')
  await ended
  expect([server, child].map(isAlive)).toEqual([true, true])

  put(join(home, 'config.json'), '{}')
  const talk = await talkIn(home)
  await until(() => ![server, child].some(isAlive))
  expect(existsSync(join(home, 'processes'))).toBe(false)
  await talk.close()
})

test('[TOOL3] a command in a skill of a job is remembered like a server', async () => {
  const home = newHome()
  const path = programs({ stamp: 'console.log("noon")' })
  put(join(home, 'skills', 'live', 'SKILL.md'), '---\nname: live\n---\nNow: !`stamp`\n')
  put(join(home, 'workspace', 'look.md'), '---\nisolated: true\nskills: live\n---\nLook.\n')
  const set = { 'skills.allowScripts': 'true' }
  const talk = await talkIn(home, { path, set, steps: [reply('Done.')] })
  await talk.say('/run look.md')
  expect(readFileSync(join(home, 'processes'), 'utf8')).toMatch(/^\d+ \S+\n$/)
})

test('[TOOL3] a process with the same id that started at another time is left alone', async () => {
  const order: ProgramOrder = {
    file: process.execPath,
    argv: ['-e', 'setInterval(() => undefined, 1000)'],
    cwd: tempFolder(),
    env: {},
    timeoutMs: 60_000,
    signal: new AbortController().signal,
  }
  const { promise: started, resolve: onStart } = Promise.withResolvers<{
    group: number
    startTime: string | null
  }>()
  const ran = runProgram({ ...order, onStart })
  const { group, startTime } = await started
  expect(startTime).toBe(startTimeOf(group))
  for (const other of [null, `1${startTime}`, `${startTime}0`])
    expect(await endLeftBehind({ group, startTime: other })).toBe(false)
  expect(isAlive(group)).toBe(true)
  expect(await endLeftBehind({ group, startTime })).toBe(true)
  expect(await ran).toMatchObject({ kind: 'exited', signal: 'SIGTERM' })
  expect(await endLeftBehind({ group, startTime })).toBe(false)
})
