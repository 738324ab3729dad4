import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { launchd } from '../src/cli/supervise/launchd.ts'
import { makeSocketPath, writeOwner } from '../src/owner/owner-file.ts'
import { run, tempFolder } from './cli/run.ts'

/** A machine whose programs write down how they are called. */
function fakeMachine(scripts: Readonly<Record<string, string>>) {
  const folder = tempFolder()
  const [bin, user, calls] = [join(folder, 'bin'), join(folder, 'user'), join(folder, 'calls')]
  mkdirSync(bin)
  mkdirSync(user)
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} $*" >> '${calls}'\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const environment = { HOME: user, PATH: bin, XDG_CONFIG_HOME: undefined, ANTHROPIC_API_KEY: undefined }
  const home = join(user, '.mainstem')
  // As if serve had begun as the process that the supervisor names.
  const owner = { command: 'mainstem serve', rank: 'serve', version: '0', socket: '/none', since: 1 } as const
  for (const one of [home, join(user, 'work')]) {
    makeSocketPath(one, {})
    writeOwner(one, { ...owner, pid: 4242 })
  }
  const service = (...args: string[]) => run(['service', ...args], { home, environment })
  return {
    bin,
    user,
    home,
    environment,
    unit: join(user, '.config/systemd/user/mainstem.service'),
    service,
    /** What was called since the last time. */
    called(): string[] {
      const lines = existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : []
      writeFileSync(calls, '')
      return lines.filter((line) => line !== '')
    },
  }
}

const RUNNING = `case "$*" in *show\\ *) printf 'UnitFileState=enabled\\nActiveState=active\\nActiveEnterTimestamp=Mon 2026-11-16 09:12:00 UTC\\nMainPID=4242\\nExecMainStatus=0\\n';; esac`
const LINGERS = `case "$1" in show-user) echo Linger=yes;; esac`
const systemdMachine = (own: Readonly<Record<string, string>> = {}) =>
  fakeMachine({
    systemctl: RUNNING,
    loginctl: LINGERS,
    journalctl: `printf 'one\\ntwo \\033[31mred\\n'`,
    ...own,
  })

describe.skipIf(process.platform !== 'linux')('with systemd', () => {
  test('install writes the unit, starts it, and keeps it running after a logout; again to repair it', async () => {
    const machine = systemdMachine()
    const ran = await machine.service('install')
    expect(ran).toMatchObject({ code: 0, err: '' })
    expect(ran.out).toMatch(/^Mainstem runs as a service now\. It starts with the machine/)
    const calls = machine.called()
    expect(calls.map((call) => call.replace(/(enable-linger|show-user) \S+/, '$1'))).toEqual([
      'systemctl --user show-environment',
      'systemctl --user daemon-reload',
      'systemctl --user enable mainstem.service',
      'systemctl --user restart mainstem.service',
      'loginctl enable-linger',
      expect.stringMatching(/^systemctl --user show mainstem.service /),
      'loginctl show-user --property=Linger',
    ])
    const unit = readFileSync(machine.unit, 'utf8')
    expect(unit).toContain(`ExecStart="${process.execPath}" "`)
    expect(unit).toContain('/bin/mainstem.js" "serve"\n')
    expect(unit).toContain(`Environment="MAINSTEM_HOME=${machine.home}"\n`)
    expect((await machine.service('install')).code).toBe(0)
    expect(machine.called().slice(0, 5)).toEqual(calls.slice(0, 5))
  })

  test('status says whether it runs, since when, and that its Node is gone', async () => {
    const machine = systemdMachine()
    expect(await machine.service()).toMatchObject({ code: 1, out: expect.stringMatching(/^Not installed\./) })
    await machine.service('install')
    const status = await machine.service('status')
    expect(status.code).toBe(0)
    expect(status.out).toMatch(
      /^State {2}running since .*09:12.* \(process 4242\)\nStart {2}with the machine\n/,
    )
    expect(status.out).not.toContain('Note')
    writeFileSync(machine.unit, readFileSync(machine.unit, 'utf8').replace(process.execPath, '/gone/node'))
    const { out } = await machine.service('status', '--json')
    expect(JSON.parse(out)).toMatchObject({
      state: 'running',
      since: '2026-11-16T09:12:00.000Z',
      node: '/gone/node',
      problems: ["It can't start: /gone/node is gone. 'mainstem service install' repairs it."],
    })
    expect((await machine.service('restart')).err).toMatch(/\/gone\/node is gone/)
    const { home, environment } = machine
    expect((await run(['status'], { home, environment })).out).toContain(
      "Note   The service can't start: /gone/node is gone. 'mainstem service install' repairs it.\n",
    )
  })

  test('status says why it stopped', async () => {
    const stopped = `case "$*" in *show\\ *) printf 'UnitFileState=enabled\\nActiveState=failed\\nMainPID=0\\nExecMainStatus=78\\n';; esac`
    const machine = systemdMachine({ systemctl: stopped })
    const installed = await machine.service('install')
    expect(installed.code).toBe(1)
    expect(installed.err).toMatch(/^mainstem: It ended because of its configuration \(exit code 78\)/)
    const { code, out } = await machine.service('status')
    expect(code).toBe(1)
    expect(out).toMatch(/^State {2}stopped\n/)
    expect(out).toMatch(/It ended because of its configuration \(exit code 78\)/)
  })

  test('logs are shown harmless, restart restarts, uninstall leaves the home', async () => {
    const machine = systemdMachine()
    expect((await machine.service('logs')).err).toMatch(/not installed as a service/)
    await machine.service('install')
    machine.called()
    const { out } = await machine.service('logs', '-f')
    expect(out).toMatch(/^one\ntwo /)
    expect(out).not.toContain('\u001B')
    expect((await machine.service('restart')).out).toBe('Restarted.\n')
    expect((await machine.service('uninstall')).code).toBe(0)
    expect(machine.called().filter((call) => !call.includes('show'))).toEqual([
      'journalctl --user-unit=mainstem.service --lines=200 --no-pager --follow',
      'systemctl --user restart mainstem.service',
      'systemctl --user disable --now mainstem.service',
      'systemctl --user daemon-reload',
    ])
    expect(existsSync(machine.unit)).toBe(false)
  })

  test('another home has a service of its own', async () => {
    const machine = systemdMachine()
    await machine.service('install', '--home', join(machine.user, 'work'))
    expect(existsSync(machine.unit)).toBe(false)
    expect(machine.called().find((call) => call.includes('enable '))).toMatch(
      /mainstem-[0-9a-f]{8}\.service$/,
    )
  })

  test('settings of this shell that the service will not have are named', async () => {
    const machine = systemdMachine()
    const environment = { ...machine.environment, ANTHROPIC_API_KEY: 'sk-secret', MAINSTEM_MODEL: 'offline' }
    const ran = await run(['service', 'install'], { home: machine.home, environment })
    expect(ran.err).toMatch(
      /^Note: (MAINSTEM_MODEL, ANTHROPIC_API_KEY|ANTHROPIC_API_KEY, MAINSTEM_MODEL) are set in/,
    )
    expect(ran.err).toContain(join(machine.home, '.env'))
    expect(ran.err + ran.out + readFileSync(machine.unit, 'utf8')).not.toContain('sk-secret')
  })

  test('a configuration that is wrong is not installed', async () => {
    const machine = systemdMachine()
    writeFileSync(join(machine.home, 'config.json'), '{"timezone": "Nowhere/Here"}')
    const ran = await machine.service('install')
    expect(ran.code).toBe(1)
    expect(ran.err).toContain('Nowhere/Here')
    expect(existsSync(machine.unit)).toBe(false)
  })

  test('without lingering it says what that means and how to turn it on', async () => {
    const machine = systemdMachine({ loginctl: 'echo "Access denied" >&2; exit 1' })
    const { code, out, err } = await machine.service('install')
    expect(code).toBe(0)
    expect(out).toContain('It starts when you log in')
    expect(err).toMatch(/stops when you log out.*Access denied.*sudo loginctl enable-linger/)
  })

  test('without systemd, or without its bus, nothing is written and it says what to do instead', async () => {
    const none = fakeMachine({})
    expect((await none.service('install')).err).toMatch(
      /no systemd.*In a container, make 'mainstem serve' its command/,
    )
    const busless = systemdMachine({
      systemctl: 'echo "Failed to connect to bus: No medium found" >&2; exit 1',
    })
    const ran = await busless.service('install')
    expect(ran.code).toBe(1)
    expect(ran.err).toMatch(/No medium found.*log in as that user/)
    expect(existsSync(none.unit) || existsSync(busless.unit)).toBe(false)
  })

  test('a home that no unit can name is refused', async () => {
    const machine = systemdMachine()
    const ran = await machine.service('install', '--home', join(machine.user, 'a\nb'))
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('line break') })
    expect(machine.called()).toEqual([])
  })
})

function agentOn(machine: ReturnType<typeof fakeMachine>) {
  return launchd('mainstem', machine.environment, machine.home)
}

describe('with launchd', () => {
  const PRINTED = `case "$1" in print) printf 'gui/501/mainstem = {\\n\\tstate = running\\n\\tpid = 77\\n\\tlast exit code = 0\\n}\\n';; esac`
  const ps = `echo 'Mon Nov 16 09:12:00 2026'`

  test('the agent is loaded anew, looked at, restarted by its end, and unloaded', async () => {
    const machine = fakeMachine({ launchctl: PRINTED, ps })
    const agent = agentOn(machine)
    expect(agent.file).toBe(join(machine.user, 'Library/LaunchAgents/mainstem.plist'))
    expect(await agent.start()).toEqual([])
    expect(existsSync(join(machine.home, 'logs'))).toBe(true)
    const service = `gui/${process.getuid?.()}/mainstem`
    expect(machine.called()).toEqual([
      `launchctl bootout ${service}`,
      `launchctl enable ${service}`,
      `launchctl bootstrap gui/${process.getuid?.()} ${agent.file}`,
    ])
    const since = Date.parse('2026-11-16T09:12:00Z')
    expect(await agent.look()).toMatchObject({ state: 'running', pid: 77, since, isEnabled: true })
    machine.called()
    await agent.restart()
    mkdirSync(join(machine.user, 'Library/LaunchAgents'), { recursive: true })
    writeFileSync(agent.file, '')
    await agent.remove()
    expect(existsSync(agent.file)).toBe(false)
    expect(machine.called()).toEqual([`launchctl kill SIGTERM ${service}`, `launchctl bootout ${service}`])
    expect(agent.logs(true).at(-1)).toBe(join(machine.home, 'logs', 'serve.log'))
  })

  test('one that does not run is started', async () => {
    const machine = fakeMachine({ launchctl: 'case "$1" in kill|print) exit 113;; esac' })
    const agent = agentOn(machine)
    await agent.restart()
    expect(machine.called().at(-1)).toMatch(/^launchctl kickstart /)
    expect(await agent.look()).toMatchObject({ state: 'stopped', isEnabled: false })
  })
})
