/**
 * OpenAI's client talks to Mainstem: `mainstem serve` runs in a new home, and the client asks it twice, once as a stream.
 * The model is `offline`, so it needs no key and no network.
 */
import { strict as assert } from 'node:assert'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import OpenAI from 'openai'

const home = mkdtempSync(join(tmpdir(), 'mainstem-example-'))
const program = join(import.meta.dirname, '../bin/mainstem.js')
const serve = spawn(
  process.execPath,
  [program, 'serve', '--home', home, '--model', 'offline', '--port', '0'],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
  },
)

/** The address that it names when it is ready. */
async function address(): Promise<string> {
  for await (const line of createInterface(serve.stdout)) {
    const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? []
    if (found !== undefined) return found
  }
  throw new Error('mainstem serve has ended')
}

try {
  const baseURL = `${await address()}/v1`
  const apiKey = readFileSync(join(home, 'token'), 'utf8').trim()
  const openai = new OpenAI({ baseURL, apiKey })

  const { data, response } = await openai.chat.completions
    .create({ model: 'mainstem', messages: [{ role: 'user', content: 'My name is Ada.' }] })
    .withResponse()
  console.log(data.choices[0]?.message.content)
  assert.equal(data.id, `chatcmpl-${response.headers.get('mainstem-turn')}`)

  // Main knows what was said before, so a client need not send it again.
  const stream = await openai.chat.completions.create({
    model: 'mainstem',
    stream: true,
    messages: [{ role: 'user', content: 'hello' }],
  })
  let said = ''
  for await (const { choices } of stream) said += choices[0]?.delta.content ?? ''
  console.log(said)
  assert.notEqual(said, '')
} finally {
  serve.kill()
  await once(serve, 'exit')
  rmSync(home, { recursive: true })
}
