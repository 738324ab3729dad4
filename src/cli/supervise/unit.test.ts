import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findBinary } from '../../tool/process/find-binary.ts'
import { commandInPlist, commandInUnit, launchdPlist, systemdUnit, unitProblem, type Unit } from './unit.ts'

const ODD = 'a "b" \'c\' %n $HOME ${X} \\n & <d> é'
const plain: Unit = {
  command: ['/usr/bin/node', '/opt/mainstem/bin/mainstem.js', 'serve'],
  environment: { MAINSTEM_HOME: '/home/ada/.mainstem', PATH: '/usr/bin:/bin' },
}
const odd: Unit = {
  command: ['/opt/n %n $HOME x/node', `/${ODD}/mainstem.js`, 'serve'],
  environment: { MAINSTEM_HOME: `/${ODD}`, PATH: `/bin:/${ODD}` },
}

function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mainstem-unit-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe('a unit for systemd', () => {
  test('names the program by whole paths and restarts it, unless its configuration is wrong', () => {
    expect(systemdUnit(plain)).toBe(`[Unit]
Description=Mainstem

[Service]
ExecStart="/usr/bin/node" "/opt/mainstem/bin/mainstem.js" "serve"
Environment="MAINSTEM_HOME=/home/ada/.mainstem"
Environment="PATH=/usr/bin:/bin"
Restart=always
RestartSec=5
RestartPreventExitStatus=78
SuccessExitStatus=0 143
KillMode=control-group
TimeoutStopSec=30

[Install]
WantedBy=default.target
`)
  })

  test('keeps quotes, specifiers and variables in paths as they are', () => {
    const lines = systemdUnit(odd).split('\n')
    const kept = String.raw`a \"b\" 'c' %%n $HOME ${'${X}'} \\n & <d> é`
    expect(lines).toContain(`Environment="MAINSTEM_HOME=/${kept}"`)
    expect(lines).toContain(
      `ExecStart="/opt/n %%n $HOME x/node" "/${kept.replaceAll('$', '$$$$')}/mainstem.js" "serve"`,
    )
  })

  test.skipIf(findBinary('systemd-analyze', process.env['PATH'] ?? '') === undefined)(
    'is accepted by systemd-analyze, with odd paths too (skipped where systemd is not installed)',
    () => {
      const folder = tempFolder()
      const node = join(folder, 'n %n $HOME x')
      mkdirSync(node)
      symlinkSync(process.execPath, join(node, 'node'))
      const file = join(folder, 'mainstem.service')
      chmodSync(folder, 0o700)
      for (const command of [
        [process.execPath, ...plain.command.slice(1)],
        [join(node, 'node'), ...odd.command.slice(1)],
      ]) {
        writeFileSync(file, systemdUnit({ ...odd, command }))
        const env = { ...process.env, XDG_RUNTIME_DIR: folder }
        const said = execFileSync('systemd-analyze', ['--user', 'verify', file], { env, stdio: 'pipe' })
        expect(String(said)).toBe('')
      }
    },
  )
})

/** The values of a plist, in their order, and every tag closed by a tag of its own. */
function readPlist(text: string): string[] {
  const [open, values]: [string[], string[]] = [[], []]
  const parser = new Parser(
    {
      onopentag: (name) => void (open.push(name), values.push('')),
      ontext: (part) => void (values[values.length - 1] += part),
      onclosetag: (name, isImplied) => {
        // XML has no end tags that may be left out; <true/> ends by itself.
        expect(isImplied && name !== 'true').toBe(false)
        expect(open.pop()).toBe(name)
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  parser.end(text)
  expect(open).toEqual([])
  return values.map((value) => value.trim()).filter((value) => value !== '')
}

describe('a plist for launchd', () => {
  test('is XML with the same command and variables', () => {
    const text = launchdPlist(odd, 'mainstem', '/home/logs/serve.log')
    const [log, home] = ['/home/logs/serve.log', `/${ODD}`]
    expect(readPlist(text)).toEqual(
      [
        ['Label', 'mainstem', 'ProgramArguments', ...odd.command],
        ['EnvironmentVariables', 'MAINSTEM_HOME', home, 'PATH', `/bin:${home}`],
        ['RunAtLoad', 'KeepAlive', 'ThrottleInterval', '5', 'ExitTimeOut', '30'],
        ['StandardOutPath', log, 'StandardErrorPath', log],
      ].flat(),
    )
  })
})

test('the command that either file names can be read back', () => {
  const words = fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(words, (command) => {
      const unit = { command, environment: {} }
      fc.pre(unitProblem(unit) === undefined)
      expect(commandInUnit(systemdUnit(unit))).toEqual(command)
      expect(commandInPlist(launchdPlist(unit, 'mainstem', '/log'))).toEqual(command)
    }),
    { seed: 18, numRuns: 300 },
  )
})

test.each([
  [{ ...plain, environment: { MAINSTEM_HOME: '/a\nExecStartPre=/bin/x' } }, /line break/],
  [{ ...plain, command: ['/usr/bin/node', '/a\u0000b'] }, /control character/],
  [{ ...plain, command: ['/opt/"n"/node', '/x.js'] }, /quote or a backslash/],
  [odd, undefined],
])('a path that no service can name is refused: %j', (unit, why) => {
  if (why === undefined) expect(unitProblem(unit)).toBeUndefined()
  else expect(unitProblem(unit)).toMatch(why)
})
