import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { StepInput } from '../src/model/scripted.ts'
import { readOwner } from '../src/owner/owner-file.ts'
import { tempFolder } from './cli/run.ts'
import { hasTmux, openPane, why, type Pane } from './stand-ins/tmux.ts'

const MAINSTEM = fileURLToPath(new URL('../bin/mainstem.js', import.meta.url))

/** A home whose model, in each process that owns the log, begins with the first step. */
function homeWith(steps: readonly StepInput[]): string {
  const home = tempFolder()
  const script = join(home, 'script.json')
  writeFileSync(script, JSON.stringify(steps))
  writeFileSync(join(home, 'config.json'), JSON.stringify({ model: `scripted:${script}`, port: 0 }))
  return home
}

function openChat(home: string): Promise<Pane> {
  return openPane(80, 40, { program: `${MAINSTEM} --home ${home}` })
}

async function ask(pane: Pane, text: string): Promise<void> {
  pane.keys(text)
  await pane.until(`│ ${text}`)
  pane.keys('Enter')
  await pane.until(`› ${text}`)
}

function expectOnce(pane: Pane, ...texts: readonly string[]): void {
  const all = pane.shown('all')
  expect(texts.filter((text) => all.split(text).length !== 2)).toEqual([])
}

describe.skipIf(!hasTmux)(`chats on one home${why}`, () => {
  test('[OWNER1] the owner is killed in the middle of a turn, and the other chat goes on with one answer', async () => {
    const home = homeWith([
      { delayMs: 1_000, reply: { text: 'Here it is.' } },
      { reply: { text: 'And that.' } },
    ])
    const first = await openChat(home)
    await expect.poll(() => readOwner(home)?.pid).toBe(first.pid())
    const second = await openChat(home)
    await ask(first, 'a question')
    await second.until('› a question')
    await second.until('Esc to stop')
    process.kill(first.pid(), 'SIGKILL')
    await second.until('Here it is.')
    await expect.poll(() => readOwner(home)?.pid).toBe(second.pid())
    const third = await openChat(home)
    await ask(third, 'another one')
    await third.until('And that.')
    await second.until('And that.')
    for (const pane of [second, third])
      expectOnce(pane, '› a question', 'Here it is.', '› another one', 'And that.')
  })

  test('[OWNER1] beside an owner that was stopped a chat says what a message waits for, and goes on with it', async () => {
    const home = homeWith([{ reply: { text: 'Before.' } }, { reply: { text: 'Here it is.' } }])
    const first = await openChat(home)
    await expect.poll(() => readOwner(home)?.pid).toBe(first.pid())
    const second = await openChat(home)
    await ask(second, 'one')
    await second.until('Before.')
    process.kill(first.pid(), 'SIGSTOP')
    second.keys('a question', 'Enter')
    await second.until(`process ${first.pid()}`)
    await second.until('It was stopped')
    process.kill(first.pid(), 'SIGCONT')
    await second.until('Here it is.')
    expectOnce(second, '› a question', 'It was stopped', 'Here it is.')
  })

  test('[OWNER1] a chat hands over to serve, and takes over when serve ends', async () => {
    const home = homeWith([
      { reply: { text: 'Said by the first owner.' } },
      { reply: { text: 'Said by the next.' } },
    ])
    const pane = await openChat(home)
    await ask(pane, 'one')
    await pane.until('Said by the first owner.')
    writeFileSync(join(home, 'script.json'), JSON.stringify([{ reply: { text: 'Said by serve.' } }]))
    const serve = spawn(process.execPath, [MAINSTEM, '--home', home, 'serve'], { stdio: 'ignore' })
    onTestFinished(() => void serve.kill('SIGKILL'))
    await expect.poll(() => readOwner(home)).toMatchObject({ rank: 'serve', pid: serve.pid })
    await ask(pane, 'two')
    await pane.until('Said by serve.')
    writeFileSync(join(home, 'script.json'), JSON.stringify([{ reply: { text: 'Said by the chat.' } }]))
    serve.kill('SIGTERM')
    await once(serve, 'exit')
    await ask(pane, 'three')
    await pane.until('Said by the chat.')
    expect(readOwner(home)).toMatchObject({ rank: 'chat', pid: pane.pid() })
    expectOnce(pane, '› one', '› two', '› three', 'Said by the first', 'Said by serve', 'Said by the chat')
  })

  test('a question over /v1 is shown with its answer, live, in a chat beside it', async () => {
    const home = homeWith([{ reply: { text: 'Said to the program.' } }, { reply: { text: 'Said here.' } }])
    const serve = spawn(process.execPath, [MAINSTEM, '--home', home, 'serve'], { stdio: 'ignore' })
    onTestFinished(() => void serve.kill('SIGKILL'))
    await expect.poll(() => readOwner(home)).toMatchObject({ rank: 'serve', pid: serve.pid })
    const pane = await openChat(home)
    await pane.until('│')
    const socketPath = readOwner(home)?.socket ?? ''
    const body = JSON.stringify({
      model: 'mainstem',
      messages: [{ role: 'user', content: 'Asked by a program' }],
    })
    const headers = { 'content-type': 'application/json' }
    request({ socketPath, path: '/v1/chat/completions', method: 'POST', headers }).end(body)
    await pane.until('Said to the program.')
    await ask(pane, 'and here')
    await pane.until('Said here.')
    expectOnce(pane, '› (the API) Asked by a program', 'Said to the program.', '› and here', 'Said here.')
  })

  test('a chat with --model is refused beside an owner, and says who that is', async () => {
    const home = homeWith([])
    const first = await openChat(home)
    await expect.poll(() => readOwner(home)?.pid).toBe(first.pid())
    const refused = await openPane(80, 24, {
      program: `${MAINSTEM} --home ${home} --model offline`,
      ready: 'left: ',
    })
    expect(refused.shown()).toContain("--model needs the log for itself, and 'mainstem chat'")
  })
})
