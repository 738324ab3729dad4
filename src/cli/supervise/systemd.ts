import { existsSync, rmSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../../config/table/source.ts'
import { CommandError } from '../frame/command.ts'
import { Programs } from './programs.ts'
import type { Supervisor, Seen } from './supervisor.ts'
import { commandInUnit, systemdUnit } from './unit.ts'

/** Keeps the service as a unit of the user's systemd. */
export function systemd(name: string, environment: Environment): Supervisor {
  const unit = `${name}.service`
  const programs = new Programs(withRuntimeFolder(environment))
  const user = (...args: readonly string[]) => programs.order('systemctl', '--user', ...args)
  const { username } = userInfo()
  const settings = environment['XDG_CONFIG_HOME'] || join(environment['HOME'] || homedir(), '.config')
  const file = join(settings, 'systemd', 'user', unit)
  return {
    file,
    text: systemdUnit,
    commandIn: commandInUnit,
    check: () => checkBus(programs),
    async start() {
      await user('daemon-reload')
      await user('enable', unit)
      await user('restart', unit)
      const { code, err } = await programs.ask('loginctl', 'enable-linger', username)
      return code === 0
        ? []
        : [
            `It stops when you log out, and doesn't start with the machine, as lingering could not be turned on (${err}). This turns it on: sudo loginctl enable-linger ${username}`,
          ]
    },
    restart: () => user('restart', unit),
    async remove() {
      await user('disable', '--now', unit)
      rmSync(file)
      await user('daemon-reload')
    },
    look: () => look(programs, { unit, username }),
    logs: (follows) => [
      'journalctl',
      `--user-unit=${unit}`,
      '--lines=200',
      '--no-pager',
      ...(follows ? ['--follow'] : []),
    ],
  }
}

/** After `su` the variable is missing, though the user's systemd may run. */
function withRuntimeFolder(environment: Environment): Environment {
  const usual = `/run/user/${process.getuid?.()}`
  if (environment['XDG_RUNTIME_DIR'] || !existsSync(usual)) return environment
  return { ...environment, XDG_RUNTIME_DIR: usual }
}

async function checkBus(programs: Programs): Promise<void> {
  if (!programs.has('systemctl'))
    throw new CommandError(`This system has no systemd (systemctl is not on the PATH). ${WITHOUT_SYSTEMD}`)
  const { code, err } = await programs.ask('systemctl', '--user', 'show-environment')
  if (code === 0) return
  const login = 'After su or sudo, log in as that user instead (by ssh, or with machinectl shell USER@)'
  throw new CommandError(`Your user's systemd can't be reached (${err}). ${login}. ${WITHOUT_SYSTEMD}`)
}

const WITHOUT_SYSTEMD =
  "In a container, make 'mainstem serve' its command; elsewhere, have your init system run 'mainstem serve' and restart it unless it exits with 78"

async function look(
  programs: Programs,
  { unit, username }: { unit: string; username: string },
): Promise<Seen> {
  const names = 'UnitFileState ActiveState ActiveEnterTimestamp MainPID ExecMainStatus'.split(' ')
  const shown = await programs.ask('systemctl', '--user', 'show', unit, `--property=${names.join(',')}`)
  const valueOf = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(shown.out)?.[1] ?? ''
  const linger = await programs.ask('loginctl', 'show-user', username, '--property=Linger')
  const [, date, time] = /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)/.exec(valueOf('ActiveEnterTimestamp')) ?? []
  const active = valueOf('ActiveState')
  return {
    isEnabled: valueOf('UnitFileState') === 'enabled',
    state: active === 'active' ? 'running' : active === 'activating' ? 'starting' : 'stopped',
    since: date === undefined ? undefined : Date.parse(`${date}T${time}Z`),
    pid: Number(valueOf('MainPID')) || undefined,
    exitCode: Number(valueOf('ExecMainStatus')),
    starts: linger.out.trim() === 'Linger=yes' ? 'with the machine' : 'when you log in',
  }
}
