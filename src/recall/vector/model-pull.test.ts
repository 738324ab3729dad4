import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../../test/cli/run.ts'
import { MINILM_SOURCE, modelBytes, type ModelSource, pullModel } from './model-pull.ts'

const large = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7 + (at >> 8)) & 0xff))
const contents: Readonly<Record<string, Buffer>> = {
  'config.json': Buffer.from('{"hidden_size":4}'),
  'onnx/model.onnx': large,
}

function sourceAt(base: string): ModelSource {
  const files = Object.entries(contents).map(([path, bytes]) => ({
    path,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    bytes: bytes.length,
  }))
  return { base, path: 'some/model/resolve/1', files }
}

type Answer = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void

/** A hub that answers requests for the large file with these in turn, and then normally. */
async function startHub(...answers: Answer[]): Promise<{ readonly base: string; readonly asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const name = request.url?.replace('/some/model/resolve/1/', '') ?? ''
    asked.push(`${name} ${request.headers.range ?? 'whole'}`)
    const body = contents[name]
    if (body === undefined) return response.writeHead(404).end('no such file')
    const answer = name === 'onnx/model.onnx' ? (answers.shift() ?? serve) : serve
    answer(request, response, body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

/** The normal answer of a hub: from the requested offset on. */
const serve: Answer = (request, response, body) => {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? -1)
  if (from < 0) return response.writeHead(200, { 'content-length': body.length }).end(body)
  if (from >= body.length) return response.writeHead(416).end()
  const range = `bytes ${from}-${body.length - 1}/${body.length}`
  response
    .writeHead(206, { 'content-range': range, 'content-length': body.length - from })
    .end(body.subarray(from))
}

/** Where the pull that runs keeps what has arrived of the large file. */
let arriving = ''

/** This many bytes, and once they are on the disk the connection breaks. */
function cutAfter(bytes: number): Answer {
  return (request, response, body) => {
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const status = from > 0 ? 206 : 200
    const range = { 'content-range': `bytes ${from}-${body.length - 1}/${body.length}` }
    response.writeHead(status, { 'content-length': body.length - from, ...(from > 0 ? range : {}) })
    response.write(body.subarray(from, from + bytes))
    const cut = (): void => {
      const parts = existsSync(arriving) ? readdirSync(arriving) : []
      const arrived = parts.map((name) => statSync(join(arriving, name)).size)
      if (Math.max(0, ...arrived) >= from + bytes) response.destroy()
      else setTimeout(cut, 5)
    }
    cut()
  }
}

/** This many bytes, then silence. */
function silentAfter(bytes: number): Answer {
  return (_, response, body) => {
    response.writeHead(200, { 'content-length': body.length })
    response.write(body.subarray(0, bytes))
  }
}

/** Does not support ranges. */
const whole: Answer = (_, response, body) =>
  response.writeHead(200, { 'content-length': body.length }).end(body)

/** A part every tenth of a second: in total longer than silence may last. */
const slowly: Answer = (_, response, body) => {
  const parts = 6
  response.writeHead(200, { 'content-length': body.length })
  const send = (part: number): void => {
    response.write(body.subarray((body.length / parts) * part, (body.length / parts) * (part + 1)))
    if (part === parts - 1) response.end()
    else setTimeout(() => send(part + 1), 1_000)
  }
  send(0)
}

const refuse =
  (status: number): Answer =>
  (_, response) =>
    response.writeHead(status).end()

const other: Answer = (_, response, body) => response.writeHead(200).end(Buffer.alloc(body.length, 1))
const endless: Answer = (_, response, body) => response.writeHead(200).end(Buffer.alloc(body.length + 1, 1))

function pulling(base: string, directory = join(tempFolder(), 'my models', 'm')) {
  arriving = join(`${directory}.unfinished`, 'onnx')
  const paused: number[] = []
  const seen: number[] = []
  const run = () =>
    pullModel({
      source: sourceAt(base),
      directory,
      progress: (done) => seen.push(done),
      pause: (ms) => {
        paused.push(ms)
        return Promise.resolve()
      },
      stallMs: 3_000,
    })
  return { run, directory, paused, seen, parent: join(directory, '..') }
}

function expectWhole(directory: string): void {
  for (const [name, bytes] of Object.entries(contents))
    expect(readFileSync(join(directory, name)).equals(bytes)).toBe(true)
  expect(readdirSync(join(directory, '..'))).toEqual(['m'])
  expect(readdirSync(join(directory, 'onnx'))).toEqual(['model.onnx'])
}

test('a model is fetched, checked and put in its place', async () => {
  const { base, asked } = await startHub()
  const { run, directory, seen } = pulling(`${base}/`)
  await run()
  expectWhole(directory)
  expect(asked).toEqual(['config.json whole', 'onnx/model.onnx whole'])
  expect(seen.at(-1)).toBe(17 + large.length)
  expect(seen).toEqual(seen.toSorted((a, b) => a - b))
  expect(statSync(join(directory, 'config.json')).mode & 0o077).toBe(0)
})

test('what is cut off goes on where it was', async () => {
  const { base, asked } = await startHub(cutAfter(100_000), cutAfter(50_000), refuse(503))
  const { run, directory, paused } = pulling(base)
  await run()
  expectWhole(directory)
  expect(asked.slice(1)).toEqual([
    'onnx/model.onnx whole',
    'onnx/model.onnx bytes=100000-',
    'onnx/model.onnx bytes=150000-',
    'onnx/model.onnx bytes=150000-',
  ])
  expect(paused).toEqual([1_000, 1_000, 2_000])
})

test('a server that falls silent is asked again', async () => {
  const { base, asked } = await startHub(silentAfter(100_000))
  const { run, directory } = pulling(base)
  await run()
  expectWhole(directory)
  expect(asked).toHaveLength(3)
})

test('a server that is slow is waited for', async () => {
  const { base, asked } = await startHub(slowly)
  const { run, directory } = pulling(base)
  await run()
  expectWhole(directory)
  expect(asked).toHaveLength(2)
})

test('a server that knows no ranges gives all of it again', async () => {
  const { base } = await startHub(cutAfter(100_000), whole)
  const { run, directory } = pulling(base)
  await run()
  expectWhole(directory)
})

test('after failures without an end, the next pull goes on', async () => {
  const { base, asked } = await startHub(cutAfter(100_000), ...Array.from({ length: 4 }, () => refuse(500)))
  const { run, directory, paused } = pulling(base)
  await expect(run()).rejects.toThrow(
    /could not download .*onnx\/model\.onnx: the server said 500 Internal Server Error\. Try again later \(what was downloaded is kept\)/,
  )
  expect(paused).toEqual([1_000, 2_000, 3_000, 4_000])
  expect(existsSync(directory)).toBe(false)
  asked.length = 0
  await run()
  expectWhole(directory)
  expect(asked).toEqual(['onnx/model.onnx bytes=100000-'])
})

test('another file than the expected one is not kept', async () => {
  const { base } = await startHub(other)
  const { run, directory, parent } = pulling(base)
  await expect(run()).rejects.toThrow(/was discarded: its sha-256 is [0-9a-f]{64}, expected [0-9a-f]{64}/)
  expect(existsSync(directory)).toBe(false)
  expect(readdirSync(join(parent, 'm.unfinished', 'onnx'))).toEqual([])
})

test('a file that is longer than the expected one is not read to its end', async () => {
  const { base } = await startHub(endless)
  const { run, parent } = pulling(base)
  await expect(run()).rejects.toThrow('is longer than the file that was expected')
  expect(readdirSync(join(parent, 'm.unfinished', 'onnx'))).toEqual([])
})

test.each([100, 300_000, 400_000])('a part of %i bytes of another file is thrown away', async (bytes) => {
  const { base } = await startHub()
  const { run, directory, parent } = pulling(base)
  mkdirSync(join(parent, 'm.unfinished', 'onnx'), { recursive: true })
  writeFileSync(join(parent, 'm.unfinished', 'onnx', 'model.onnx.part'), Buffer.alloc(bytes, 9))
  await run()
  expectWhole(directory)
})

test('a server that does not have it, or is not there, is named with what to do', async () => {
  const { base } = await startHub(refuse(404))
  await expect(pulling(base).run()).rejects.toThrow(
    /^could not download http:.*onnx\/model\.onnx: the server said 404 Not Found\. Check the URL \(--from/,
  )
  await expect(pulling('http://127.0.0.1:1').run()).rejects.toThrow(
    /could not download .*config\.json: .*Try again later \(what was downloaded is kept\), or use a mirror: --from URL/,
  )
})

test('an old model stays until the new one is whole', async () => {
  const { base } = await startHub(refuse(404))
  const { run, directory } = pulling(base)
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'config.json'), 'old')
  await expect(run()).rejects.toThrow('404')
  expect(readFileSync(join(directory, 'config.json'), 'utf8')).toBe('old')
  await run()
  expectWhole(directory)
})

test('a place where nothing can be written is named', async () => {
  const { base } = await startHub()
  const folder = tempFolder()
  writeFileSync(join(folder, 'models'), 'a file in the way')
  await expect(pulling(base, join(folder, 'models', 'm')).run()).rejects.toThrow(
    /could not create .*models\/m\.unfinished: /,
  )
})

test('what is fetched for minilm is one revision, each file with its checksum', () => {
  expect(MINILM_SOURCE.path).toMatch(/\/resolve\/[0-9a-f]{40}$/)
  for (const { sha256 } of MINILM_SOURCE.files) expect(sha256).toMatch(/^[0-9a-f]{64}$/)
  expect(modelBytes(MINILM_SOURCE)).toBeGreaterThan(20_000_000)
})
