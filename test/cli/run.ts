import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, cpSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import {
  commandCall,
  parseCommandLine,
  runCommand,
  type Command,
  type World,
} from '../../src/cli/frame/command.ts'
import { main } from '../../src/cli/main.ts'
import type { Environment } from '../../src/config/table/source.ts'
import { Output } from '../../src/cli/frame/output.ts'
import { openForWriting } from '../../src/runtime/home/open-log.ts'

const BIN = fileURLToPath(new URL('../../bin/mainstem.js', import.meta.url))
const MARKER = fileURLToPath(new URL('./marker-process.ts', import.meta.url))
const WRITER = fileURLToPath(new URL('./writer-process.ts', import.meta.url))
export const FIXTURES = fileURLToPath(new URL('../fixtures/logs', import.meta.url))

export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

interface RunOptions {
  readonly home?: string
  readonly input?: string | Uint8Array
  /** Both streams are terminals. */
  readonly isTTY?: boolean
  /** How wide both streams say that they are. */
  readonly columns?: number
  /** Variables besides those of this process. */
  readonly environment?: Environment
}

/** The whole program in this process, with streams of its own. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { home, environment } = options
  const { world, texts } = makeWorld({ ...environmentIn(home), ...environment }, options)
  const code = await main(args, world)
  return { code, ...texts() }
}

interface ProcessOptions extends RunOptions {
  /** Another user, which only root may start a process for. */
  readonly uid?: number
  /** A file that takes the standard output. */
  readonly outTo?: string
  /** A folder with more programs, in front of the PATH. */
  readonly path?: string
}

/**
 * The program in a process of its own, half a second each: for what only a process has, such as signals, another user,
 * pipes that break, and an end that nothing holds up.
 */
export async function runProcess(args: readonly string[], options: ProcessOptions = {}): Promise<Ran> {
  const child = start(args, options)
  const ended = once(child, 'close')
  const [out, err] = [collect(child.stdout), collect(child.stderr)]
  child.stdin?.end(options.input ?? '')
  const [code] = (await ended) as [number | null]
  return { code, out: out(), err: err() }
}

export function start(
  args: readonly string[],
  { home, uid, outTo, path, environment }: ProcessOptions = {},
): ChildProcess {
  const found = { ...environmentIn(home), ...environment }
  const env = path === undefined ? found : { ...found, PATH: `${path}:${found['PATH']}` }
  const taker = outTo === undefined ? undefined : openSync(outTo, 'w')
  const child = spawn(process.execPath, [BIN, ...args], {
    env,
    stdio: ['pipe', taker ?? 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  if (taker !== undefined) closeSync(taker)
  // Whoever is killed, or refuses before the end, leaves input unread.
  child.stdin?.on('error', () => undefined)
  return child
}

function environmentIn(home = join(tmpdir(), 'no-such-home')): Environment {
  return { ...process.env, TZ: 'UTC', MAINSTEM_HOME: home }
}

export function collect(stream: NodeJS.ReadableStream | null): () => string {
  const chunks: Buffer[] = []
  stream?.on('data', (chunk: Buffer) => chunks.push(chunk))
  return () => Buffer.concat(chunks).toString()
}

/** A folder that goes with the test. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mainstem-test-'))
  // A process that is just ending may still write there.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }))
  return folder
}

/** A home with the log of the first release. */
export function fixtureHome(): string {
  const home = join(tempFolder(), 'home')
  mkdirSync(home)
  copyFixture(home)
  return home
}

/** Puts the log of the first release there, as it is once a program of today has written to it. */
export function copyFixture(home: string): void {
  cpSync(join(FIXTURES, 'format-1', 'log.db'), join(home, 'log.db'))
  void openForWriting({ home, command: 'test' }).close()
  for (const name of readdirSync(home)) if (name !== 'log.db') rmSync(join(home, name))
}

export interface OtherWriter {
  readonly pid: number
  /** Appends a message and resolves with its position when it is durable. */
  say(text: string): Promise<number>
  close(): Promise<void>
  kill(): Promise<void>
}

/** Another process that writes to a home's log without a pause, until the test is over. */
export async function startBusyWriter(home: string): Promise<void> {
  const child = spawn(process.execPath, [MARKER, home], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
}

/** Another process that holds a home's log. */
export async function openOtherWriter(home: string): Promise<OtherWriter> {
  const child = spawn(process.execPath, [WRITER, home], { stdio: ['pipe', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ready = await lines.next()
  if (ready.value !== 'ready') throw new Error(`the other writer said ${String(ready.value)}`)
  return {
    pid: child.pid ?? 0,
    async say(text) {
      child.stdin.write(`${JSON.stringify(text)}\n`)
      const { value } = await lines.next()
      return Number(value)
    },
    async close() {
      child.stdin.end()
      await closed
    },
    async kill() {
      child.kill('SIGKILL')
      await closed
    },
  }
}

export interface Failed extends Ran {
  readonly error?: string
}

/** One command in this process, so that what it throws can be looked at. */
export async function runHere(command: Command, home: string, args: readonly string[]): Promise<Failed> {
  const { world, texts } = makeWorld(process.env)
  const ended = async (code: number, error?: Error): Promise<Failed> => {
    await world.out.flush()
    await world.err.flush()
    const ran = { code, ...texts() }
    return error === undefined ? ran : { ...ran, error: `${error.name}: ${error.message}` }
  }
  try {
    const parsed = parseCommandLine(command, args)
    return await ended(await runCommand(command, commandCall({ home, ...parsed, ...world })))
  } catch (error) {
    return ended(1, error as Error)
  }
}

interface Made {
  readonly world: World
  readonly texts: () => Pick<Ran, 'out' | 'err'>
}

function makeWorld(environment: Environment, options: RunOptions = {}): Made {
  const [out, err] = [makeSink(options), makeSink(options)]
  const typed = new PassThrough().end(options.input ?? '')
  // Somebody sits there unless something is piped, as at a command line.
  const input = Object.assign(typed, { isTTY: options.input === undefined })
  const world = { environment, input, out: new Output(out.stream), err: new Output(err.stream) }
  return { world, texts: () => ({ out: out.text(), err: err.text() }) }
}

function makeSink({ isTTY = false, columns }: Pick<RunOptions, 'isTTY' | 'columns'>) {
  const chunks: Buffer[] = []
  const stream = new Writable({ write: (chunk: Buffer, _, done) => done(void chunks.push(chunk)) })
  return {
    stream: Object.assign(stream, { isTTY, ...(columns !== undefined && { columns }) }),
    text: () => Buffer.concat(chunks).toString(),
  }
}
