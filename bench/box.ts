import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../src/base/clock.ts'
import type { BranchId, TurnId } from '../src/event/id.ts'
import { openMcp } from '../src/mcp/client.ts'
import { systemSleep } from '../src/model/contract/sleep.ts'
import { boxMaker, openBoxes, type Boxes } from '../src/tool/process/boxes.ts'
import { runProgram } from '../src/tool/process/run-program.ts'
import type { Data } from './data.ts'
import { interleave, type Case, type Samples } from './measure.ts'
import { atMost, type Measure } from './report.ts'

const SERVER = fileURLToPath(new URL('../test/stand-ins/mcp-process.ts', import.meta.url))
const PATH = process.env['PATH'] ?? ''
/** A program that only starts takes a millisecond or two by itself. */
const START_RATIO_MAX = 20
const NODE_RATIO_MAX = 2
const CALL_RATIO_MAX = 1.5

/** What a box adds to the start of a program, and to a call of a server that runs in one. */
export async function measureBox(data: Data): Promise<Measure[]> {
  if (boxMaker(PATH).kind === 'none') return []
  const home = mkdtempSync(join(data.directory, 'box-'))
  const workspace = join(home, 'workspace')
  mkdirSync(workspace)
  const boxes = openBoxes({
    mode: () => 'required',
    closed: () => ({ home, workspace, userHome: homedir(), sockets: [] }),
    folder: join(home, 'boxes'),
    path: PATH,
    guarded: () => ({ files: [], folders: [] }),
  })
  const servers = await Promise.all([serverIn(boxes), serverIn(undefined)])
  try {
    const samples = await interleave(
      [
        ...startsOf('sh', ['/bin/sh', '-c', ':'], { boxes, workspace }),
        ...startsOf('node', [process.execPath, '-e', '0'], { boxes, workspace }),
        { name: 'call, boxed', run: servers[0].call },
        { name: 'call', run: servers[1].call },
      ],
      { rounds: 5, perRound: 20 },
    )
    return [
      measureOf(samples, 'start of a program that does nothing', { name: 'sh', ratioMax: START_RATIO_MAX }),
      measureOf(samples, 'start of Node', { name: 'node', ratioMax: NODE_RATIO_MAX }),
      measureOf(samples, 'call of an MCP server that runs', { name: 'call', ratioMax: CALL_RATIO_MAX }),
    ]
  } finally {
    await Promise.all(servers.map(({ close }) => close()))
    rmSync(home, { recursive: true, force: true })
  }
}

function measureOf(
  samples: Samples,
  what: string,
  { name, ratioMax }: { name: string; ratioMax: number },
): Measure {
  return {
    group: 'box',
    measure: `${what}, in a box`,
    value: samples.median(`${name}, boxed`),
    unit: 'ms',
    comparedWith: { name: 'without', value: samples.median(name) },
    ratio: samples.ratio(`${name}, boxed`, name),
    goal: atMost(ratioMax),
  }
}

function startsOf(
  name: string,
  [file = '', ...argv]: readonly string[],
  { boxes, workspace }: { boxes: Boxes; workspace: string },
): Case[] {
  const room = { name, folders: [], writable: [workspace], readable: [], network: false }
  const { signal } = new AbortController()
  const order = { file, argv, cwd: workspace, env: { PATH }, timeoutMs: 60_000, signal }
  return [
    { name: `${name}, boxed`, run: () => runProgram({ ...order, box: (program) => boxes(program, room) }) },
    { name, run: () => runProgram(order) },
  ]
}

async function serverIn(boxes: Boxes | undefined) {
  const mcp = openMcp({
    servers: () => ({ demo: { command: process.execPath, args: [SERVER, 'well'], network: false } }),
    environment: { PATH },
    now: systemClock,
    sleep: systemSleep,
    warn: (text) => console.log(text),
    ...(boxes && { boxes }),
  })
  const { tools } = await mcp.refresh([])
  const echo = tools.find(({ spec }) => spec.name === 'demo__echo')
  const { signal } = new AbortController()
  const context = { branch: 'br_bench' as BranchId, turn: 'tn_bench' as TurnId, signal }
  return { call: () => echo?.run({ text: 'hi' }, context), close: () => mcp.close() }
}
