import { mkdirSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Environment } from '../../config/table/source.ts'
import { CommandError } from '../frame/command.ts'
import { Programs } from './programs.ts'
import type { Supervisor, Seen } from './supervisor.ts'
import { commandInPlist, launchdPlist } from './unit.ts'

const [TRIES, WAIT_MS] = [60, 500]

/** Keeps the service as a launch agent of macOS. */
export function launchd(label: string, environment: Environment, home: string): Supervisor {
  const programs = new Programs(environment)
  const logFile = join(home, 'logs', 'serve.log')
  const domain = `gui/${process.getuid?.()}`
  const service = `${domain}/${label}`
  const file = join(environment['HOME'] || homedir(), 'Library', 'LaunchAgents', `${label}.plist`)
  const launchctl = (...args: readonly string[]) => programs.ask('launchctl', ...args)
  return {
    file,
    text: (unit) => launchdPlist(unit, label, logFile),
    commandIn: commandInPlist,
    check: async () => undefined,
    async start() {
      // launchd makes the file, and not its folder.
      mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 })
      await launchctl('bootout', service)
      await launchctl('enable', service)
      for (let tries = 1; ; tries++) {
        const { code, err } = await launchctl('bootstrap', domain, file)
        if (code === 0) return []
        // An earlier instance may still be ending.
        if (tries === TRIES) throw new CommandError(`launchd did not take ${file}: ${err}`)
        await sleep(WAIT_MS)
      }
    },
    async restart() {
      // It comes back by KeepAlive. One that is not running is started.
      const { code } = await launchctl('kill', 'SIGTERM', service)
      if (code !== 0) await programs.order('launchctl', 'kickstart', service)
    },
    async remove() {
      await launchctl('bootout', service)
      rmSync(file)
    },
    look: () => look(programs, service),
    logs: (follows) => ['tail', '-n', '200', ...(follows ? ['-F'] : []), logFile],
  }
}

async function look(programs: Programs, service: string): Promise<Seen> {
  const { code, out } = await programs.ask('launchctl', 'print', service)
  const valueOf = (name: string): string => new RegExp(`^\\s*${name} = (.*)$`, 'm').exec(out)?.[1] ?? ''
  const pid = Number(valueOf('pid')) || undefined
  // "Mon Nov 16 10:22:02 2026"
  const started = pid === undefined ? undefined : await programs.ask('ps', '-o', 'lstart=', '-p', String(pid))
  const since = Date.parse(`${started?.out.trim()} UTC`)
  return {
    isEnabled: code === 0,
    state: pid !== undefined ? 'running' : 'stopped',
    since: Number.isNaN(since) ? undefined : since,
    pid,
    exitCode: Number(valueOf('last exit code')) || 0,
    starts: 'when you log in',
  }
}
