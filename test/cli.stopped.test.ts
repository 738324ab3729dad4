import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { collect, run, start, tempFolder } from './cli/run.ts'
import { startModelServer, type Turn } from './stand-ins/model-server.ts'

async function serving(turn: Turn = { blocks: [{ text: 'Here I am.' }] }) {
  const model = await startModelServer(() => turn)
  onTestFinished(() => model.close())
  const home = tempFolder()
  const settings = { model: 'openai-compatible/echo', openaiCompatible: { url: `${model.url}/v1` } }
  writeFileSync(join(home, 'config.json'), JSON.stringify(settings))
  const serve = start(['serve', '--port', '0'], { home })
  const closed = once(serve, 'close')
  onTestFinished(async () => {
    serve.kill('SIGKILL')
    await closed
  })
  await expect.poll(collect(serve.stdout)).toContain('Ready at')
  return { home, serve, model }
}

function question(home: string) {
  const child = start(['-p', 'Are you there?'], { home })
  child.stdin?.end()
  return { child, out: collect(child.stdout), err: collect(child.stderr), ended: once(child, 'close') }
}

test('[OWNER1] a question to an owner that was stopped says what it waits for, and goes on when that goes on', async () => {
  const { home, serve } = await serving()
  serve.kill('SIGSTOP')
  const { out, err, ended } = question(home)
  await expect.poll(err).toContain(`process ${serve.pid}`)
  serve.kill('SIGCONT')
  expect(await ended).toEqual([0, null])
  expect(out()).toBe('Here I am.\n')
})

test('[OWNER1] the same while the answer is waited for', async () => {
  const { home, serve, model } = await serving({ endless: 'x', everyMs: 20 })
  const { err, child, ended } = question(home)
  await expect.poll(() => model.requests.length).toBe(1)
  serve.kill('SIGSTOP')
  await expect.poll(err).toContain(`process ${serve.pid}`)
  child.kill('SIGKILL')
  await ended
})

test('[TURN7] a question whose answer is stopped exits with 1: its beginning is not all of it', async () => {
  const { home, model } = await serving({ silent: { blocks: [{ text: 'Half an answer.' }] }, after: 3 })
  const { err, ended } = question(home)
  await expect.poll(() => model.requests.length).toBe(1)
  expect(await run(['-p', '/stop'], { home })).toMatchObject({ code: 0, out: 'Stopped.\n' })
  expect(await ended).toEqual([1, null])
  expect(err()).toContain('mainstem: The answer was stopped before its end.')
})
