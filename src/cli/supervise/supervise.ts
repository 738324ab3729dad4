import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../../base/clock.ts'
import { systemZone } from '../../base/environment.ts'
import { isoAt, whenText } from '../../base/time-text.ts'
import { readConfig, type ReadConfig } from '../../config/config.ts'
import { keys } from '../../config/table/settings.ts'
import { envFile } from '../../config/table/source.ts'
import { readOwner } from '../../owner/owner-file.ts'
import { CommandError, type Command, type CommandCall } from '../frame/command.ts'
import { launchd } from './launchd.ts'
import { Programs } from './programs.ts'
import type { Seen, Supervisor } from './supervisor.ts'
import { systemd } from './systemd.ts'
import { unitProblem, type Unit } from './unit.ts'

export const serviceCommand: Command = {
  name: 'service',
  summary: 'keep Mainstem running in the background',
  usage: 'status | install | logs [-f] | restart | uninstall',
  details: `Has systemd (Linux) or launchd (macOS) run 'mainstem serve' for this home as you: it starts with the
machine, or when you log in, and again whenever it stops.

  install      sets it up and starts it; again after you moved or updated Node or Mainstem
  status       whether it is installed and running, since when, and what is wrong
  logs         what it printed lately; -f goes on with what it prints, until Ctrl-C
  restart      stops and starts it: after an update, or a change that a setting says needs it
  uninstall    stops and removes it; the home stays as it is

  --follow     with logs: the same as -f
  --json       with status: as JSON

The service doesn't have your shell's variables: keys belong into the .env file of the home.
The exit code of status is 0 if it is running, otherwise 1.`,
  verbs: {
    status: { takes: '', options: [], run: printStatus },
    install: { takes: '', options: [], run: install },
    logs: { takes: '', options: ['follow'], run: printLogs },
    restart: { takes: '', options: [], run: restart },
    uninstall: { takes: '', options: [], run: uninstall },
  },
}

type Place = Pick<CommandCall, 'home' | 'environment'>

const ENTRY = fileURLToPath(new URL('../../../bin/mainstem.js', import.meta.url))

async function install(call: CommandCall): Promise<number> {
  const supervisor = supervisorOf(call)
  const unit = unitOf(call)
  const problem = unitProblem(unit)
  if (problem !== undefined) throw new CommandError(problem)
  // The service would stop at once with a configuration that is wrong.
  const config = readConfig({ home: call.home, environment: unit.environment })
  await supervisor.check()
  mkdirSync(dirname(supervisor.file), { recursive: true })
  writeFileSync(supervisor.file, supervisor.text(unit))
  const notes = [...(await supervisor.start()), ...missedSettings(call, config)]
  for (const note of notes) void call.err.line(`Note: ${note}`)
  const { starts } = await untilUp(supervisor, call.home)
  return call.say(
    `Mainstem runs as a service now. It starts ${starts} and restarts if it stops. 'mainstem service status' and 'mainstem service logs' show how it does.`,
  )
}

const [LOOKS_MAX, LOOK_MS] = [80, 250]

/** Waits until it owns the log. Throws if it ends instead; one that takes very long is left alone. */
async function untilUp(supervisor: Supervisor, home: string): Promise<Seen> {
  for (let looks = 1; ; looks++) {
    const seen = await supervisor.look()
    const isUp = seen.pid !== undefined && readOwner(home)?.pid === seen.pid
    if (isUp || looks === LOOKS_MAX) return seen
    if (seen.state !== 'running' && (seen.state === 'stopped' || seen.exitCode !== 0)) {
      const [problem = 'It does not run'] = problemsOf(supervisor, seen)
      throw new CommandError(problem)
    }
    await sleep(LOOK_MS)
  }
}

function unitOf({ home, environment }: Place): Unit {
  const path = (environment['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
  return {
    command: [process.execPath, ENTRY, 'serve'],
    // Programs of skills and servers are found as in the shell that installed it.
    environment: { MAINSTEM_HOME: home, PATH: path.join(delimiter) },
  }
}

/** Settings of this shell that the service will not have. */
function missedSettings(call: Place, there: ReadConfig): string[] {
  const here = readConfig(call)
  const names = keys.flatMap((key) => {
    const { source, value } = here.settingOf(key)
    const isMissed = source.kind === 'environment' && value !== there.settingOf(key).value
    return isMissed ? [source.name] : []
  })
  if (names.length === 0) return []
  const [it, them] = names.length === 1 ? ['is', 'it'] : ['are', 'them']
  const file = envFile(call.home)
  return [
    `${names.join(', ')} ${it} set in this shell only. For the service, put ${them} into ${file} and run 'mainstem service restart'`,
  ]
}

async function printStatus(call: CommandCall): Promise<number> {
  const supervisor = supervisorOf(call)
  if (!existsSync(supervisor.file)) {
    await call.print({ installed: false }, () => `Not installed. 'mainstem service install' installs it.`)
    return 1
  }
  await supervisor.check()
  const seen = await supervisor.look()
  const [node = ''] = commandIn(supervisor)
  const problems = problemsOf(supervisor, seen)
  const { isEnabled, state, pid = null, since, starts } = seen
  const { file } = supervisor
  const iso = since === undefined ? null : isoAt(since)
  const view = { installed: true, enabled: isEnabled, state, since: iso, pid, starts, node, file, problems }
  const when = { now: systemClock(), zone: systemZone() }
  const running = `${state}${since === undefined || state === 'stopped' ? '' : ` since ${whenText(since, when)}`}`
  await call.print(view, () => [
    `State  ${running}${pid === null ? '' : ` (process ${pid})`}`,
    `Start  ${isEnabled ? starts : 'only by hand'}`,
    `Home   ${call.home}`,
    `Node   ${node}`,
    `File   ${file}`,
    ...problems.map((text) => `Note   ${text}`),
  ])
  return state === 'running' ? 0 : 1
}

const CONFIGURATION_WRONG = 78

function problemsOf(supervisor: Supervisor, { state, isEnabled, exitCode }: Seen): string[] {
  const problems = goneFrom(supervisor)
  if (!isEnabled) problems.push(`It is turned off and won't start by itself. ${REPAIR}`)
  if (problems.length > 0 || state === 'running') return problems
  const why = exitCode === CONFIGURATION_WRONG ? ' because of its configuration' : ''
  return [`It ended${why} (exit code ${exitCode}). 'mainstem service logs' shows what it said.`]
}

const REPAIR = "'mainstem service install' repairs it."

/** Version managers and updates move Node and Mainstem. */
function goneFrom(supervisor: Supervisor): string[] {
  const [node = '', entry = ''] = commandIn(supervisor)
  const gone = [node, entry].filter((path) => !existsSync(path))
  return gone.map((path) => `It can't start: ${path} is gone. ${REPAIR}`)
}

async function printLogs(call: CommandCall): Promise<number> {
  const [program, ...args] = installed(call).logs(call.isSet('follow'))
  const programs = new Programs(call.environment)
  if (!programs.has(program))
    throw new CommandError(`The logs are read with ${program}, which is not on the PATH`)
  return programs.follow(program, args, (line) => call.out.now(line))
}

async function restart(call: CommandCall): Promise<number> {
  const supervisor = installed(call)
  await supervisor.check()
  const [gone] = goneFrom(supervisor)
  if (gone !== undefined) throw new CommandError(gone)
  await supervisor.restart()
  await untilUp(supervisor, call.home)
  return call.say('Restarted.')
}

async function uninstall(call: CommandCall): Promise<number> {
  const supervisor = installed(call)
  await supervisor.check()
  await supervisor.remove()
  return call.say(`Uninstalled. ${call.home} stays as it is.`)
}

/** The reason why an installed service does not start, shown by commands that look at the home. */
export function serviceProblems(place: Place): string[] {
  if (process.platform === 'win32') return []
  const supervisor = supervisorOf(place)
  const problems = existsSync(supervisor.file) ? goneFrom(supervisor) : []
  return problems.map((problem) => problem.replace(/^It/, 'The service'))
}

function commandIn(supervisor: Supervisor): string[] {
  return supervisor.commandIn(readFileSync(supervisor.file, 'utf8'))
}

function installed(call: Place): Supervisor {
  const supervisor = supervisorOf(call)
  if (existsSync(supervisor.file)) return supervisor
  throw new CommandError("Mainstem is not installed as a service. 'mainstem service install' installs it")
}

function supervisorOf({ home, environment }: Place): Supervisor {
  const name = serviceName(home, environment)
  switch (process.platform) {
    case 'darwin':
      return launchd(name, environment, home)
    case 'win32':
      throw new CommandError(
        "Services aren't supported on Windows yet. Run 'mainstem serve' in a terminal, have the Task Scheduler start it when you log in, or install Mainstem in WSL",
      )
    default:
      return systemd(name, environment)
  }
}

/** Each home has a service of its own. */
function serviceName(home: string, environment: Place['environment']): string {
  if (home === join(environment['HOME'] || homedir(), '.mainstem')) return 'mainstem'
  return `mainstem-${createHash('sha256').update(home).digest('hex').slice(0, 8)}`
}
