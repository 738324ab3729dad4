/** Plays one guide in a home of its own and sends what came out of each block: `play.ts FILE`, started by guides.ts. */
import { spawn } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { mock } from 'node:test'
import { ChatPlayer } from './chat.ts'
import { idsIn } from './compare.ts'
import { readPage, type Block, type Step } from './steps.ts'

export interface Recorded extends Block {
  readonly kind: 'console' | 'chat' | 'screen'
  readonly text: string
}

const ROOT = join(import.meta.dirname, '../..')
/** A Sunday that is over on every machine: files are never older than the clock of a guide. */
const START = Date.UTC(2026, 10, 15, 9, 0)

const realNow = Date.now
mock.timers.enable({ apis: ['Date', 'setTimeout'], now: START })

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mainstem-guide-')))
const you = join(folder, 'you')
const bin = join(folder, 'bin')
for (const made of [you, bin]) mkdirSync(made)
writeFileSync(
  join(bin, 'mainstem'),
  `#!/bin/sh\nexec '${process.execPath}' --import '${join(import.meta.dirname, 'world.ts')}' '${join(ROOT, 'bin/mainstem.js')}' "$@"\n`,
)
chmodSync(join(bin, 'mainstem'), 0o755)
// As in a clone.
symlinkSync(join(ROOT, 'examples'), join(you, 'examples'))
process.chdir(you)

const environment: Record<string, string> = {
  HOME: you,
  PATH: [bin, join(ROOT, 'node_modules/.bin'), process.env['PATH']].join(':'),
  TZ: 'UTC',
  LANG: 'C.UTF-8',
}
/** Two pages may play at once, so a page takes any free port; it shows the usual one. */
const named = (text: string): string =>
  text
    .replaceAll(you, '/home/you')
    .replaceAll(ROOT, '/opt/mainstem')
    .replaceAll(/(?<=127\.0\.0\.1:)\d+/g, '7420')
const unnamed = (text: string): string => text.replaceAll('/home/you', you).replaceAll('/opt/mainstem', ROOT)

const markdown = readFileSync(process.argv[2] ?? '', 'utf8')
const page = readPage(markdown)
const recorded: Recorded[] = []

/** What a page has somebody type, with the id of this recording where the page has that of an earlier one. */
function typed(text: string, soFar = ''): string {
  const shown = idsIn(markdown)
  const now = idsIn([...recorded.map((one) => one.text), soFar].join('\n'))
  return idsIn(text).reduce(
    (before, id) => (now.includes(id) ? before : before.replaceAll(id, now[shown.indexOf(id)] ?? id)),
    text,
  )
}

const chat = new ChatPlayer({ home: join(you, '.mainstem'), environment, named, typed })

/** Between two commands of a block; no program prints it. */
const BETWEEN = '\u001E'
let commandsRun = 0
const groups: number[] = []

/** The output of each command. They share a shell, so that `cd` and variables last until the end of the block. */
async function outputsOf(commands: readonly string[], until?: string): Promise<string[]> {
  await chat.close()
  const aheadMs = Date.now() - realNow()
  const script = commands.map(
    (command) =>
      `export GUIDE_SEED=${++commandsRun}\n${unnamed(typed(command)).replaceAll(TYPED, '$1 --yes')}\nprintf '${BETWEEN}'`,
  )
  const shell = spawn('bash', ['-c', ['exec 2>&1', ...script].join('\n')], {
    cwd: you,
    env: { ...environment, GUIDE_AHEAD_MS: String(aheadMs) },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  const group = -(shell.pid ?? 0)
  groups.push(group)
  let output = ''
  for await (const piece of shell.stdout.setEncoding('utf8')) {
    output += piece
    // The whole group: the shell, and the program that it waits for.
    if (until !== undefined && output.includes(until)) process.kill(group, 'SIGTERM')
  }
  mock.timers.tick(Math.max(0, realNow() + aheadMs - Date.now()))
  return named(output).split(BETWEEN)
}

/** Readers type these at a terminal, which the shell here has not (RIGHT1). */
const TYPED = /(?<=\bmainstem )(config (?:un)?set|mcp (?:add|remove)|skills allow|pair approve)(?= )/g

/** A daemon that a setup started, and no later one stopped. */
function endGroup(group: number): void {
  try {
    process.kill(group, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

async function recordingOf(step: Step): Promise<Recorded[]> {
  switch (step.kind) {
    case 'setup': {
      const [output, ...more] = await outputsOf([`set -e\n${step.script}`])
      if (more.length === 0) throw new Error(`a setup failed: ${output}`)
      return []
    }
    case 'model':
      await chat.close()
      delete environment['MAINSTEM_MODEL']
      if (step.json === '') return []
      writeFileSync('model.json', step.json)
      environment['MAINSTEM_MODEL'] = 'scripted:model.json'
      return []
    case 'wait':
      await chat.close()
      mock.timers.tick(step.ms)
      return []
    case 'file': {
      const path = step.path.replace(/^~/, you)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, step.text)
      return []
    }
    case 'console': {
      const outputs = await outputsOf(step.commands, step.until)
      const parts = step.commands.map(
        (command, at) => `$ ${typed(command)}\n${(outputs[at] ?? '').trimEnd()}`,
      )
      return [{ ...step, text: parts.map((part) => part.trimEnd()).join('\n') }]
    }
    case 'chat':
      return [{ ...step, text: await chat.play(step) }]
    case 'screen':
      return [{ ...step, text: await chat.frameWith(step.keys) }]
  }
}

try {
  for (const step of page.steps) {
    for (const { kind, from, to, text } of await recordingOf(step))
      recorded.push({ kind, from, to, text: text.replace(/[^\S\n]+$/gm, '') })
  }
} catch (error) {
  groups.forEach(endGroup)
  throw error
} finally {
  await chat.close()
  mock.timers.reset()
  process.chdir(ROOT)
  rmSync(folder, { recursive: true, force: true })
}
process.send?.(recorded)
