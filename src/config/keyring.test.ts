import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../test/cli/run.ts'
import { configJson } from './listing.ts'
import { readConfig } from './config.ts'
import { Keyring } from './keyring.ts'
import type { Place } from './table/source.ts'
import { setInFile, unsetInFile } from './write.ts'

const KEY = String.raw`sk-"quoted'\\$(id)-and-long`

/** As secret-tool, with files: it says nothing where it finds nothing, and where the keyring is locked. */
const STAND_IN = `#!/bin/sh
dir="$HOME/keyring"; verb="$1"; for last; do :; done
if [ -e "$HOME/hangs" ]; then exec sleep 600; fi
if [ -e "$HOME/locked" ]; then
  [ "$verb" = lookup ] && exit 1
  echo "secret-tool: Cannot create an item in a locked collection" >&2; exit 1
fi
mkdir -p "$dir"
case "$verb" in
  store) cat > "$dir/$last";;
  lookup) [ -e "$dir/$last" ] || exit 1; cat "$dir/$last";;
  clear) rm -f "$dir/$last";;
esac
`

interface KeyringStage {
  readonly environment: Place['environment']
  lock(): void
  unlock?(): void
  close(): void
}

function standIn(): KeyringStage {
  const home = tempFolder()
  mkdirSync(join(home, 'bin'))
  writeFileSync(join(home, 'bin', 'secret-tool'), STAND_IN, { mode: 0o700 })
  return {
    environment: { HOME: home, PATH: `${join(home, 'bin')}:/usr/bin:/bin` },
    lock: () => writeFileSync(join(home, 'locked'), ''),
    unlock: () => rmSync(join(home, 'locked')),
    close: () => undefined,
  }
}

/** A Secret Service of its own, on a bus of its own. */
async function gnomeKeyring(): Promise<KeyringStage> {
  const home = tempFolder()
  chmodSync(home, 0o700)
  const base = { HOME: home, XDG_RUNTIME_DIR: home, PATH: '/usr/bin:/bin' }
  const started: ChildProcess[] = []
  const bus = spawn('dbus-daemon', ['--session', '--nofork', '--print-address'], { env: base })
  started.push(bus)
  const [address] = (await once(createInterface(bus.stdout), 'line')) as [string]
  const environment = { ...base, DBUS_SESSION_BUS_ADDRESS: address }
  const daemon = spawn('gnome-keyring-daemon', ['--unlock', '--foreground', '--components=secrets'], {
    env: environment,
  })
  started.push(daemon)
  daemon.stdin.end('password')
  const send = (dest: string, ...words: string[]) =>
    spawnSync('dbus-send', ['--session', '--print-reply', `--dest=${dest}`, ...words], { env: environment })
  const owned = ['/', 'org.freedesktop.DBus.NameHasOwner', 'string:org.freedesktop.secrets']
  await expect.poll(() => send('org.freedesktop.DBus', ...owned).stdout.toString()).toContain('boolean true')
  const login = 'array:objpath:/org/freedesktop/secrets/collection/login'
  const lock = ['/org/freedesktop/secrets', 'org.freedesktop.Secret.Service.Lock', login]
  return {
    environment,
    lock: () => void send('org.freedesktop.secrets', ...lock),
    close: () => {
      for (const one of started.toReversed()) one.kill()
    },
  }
}

const isThere = ['secret-tool', 'gnome-keyring-daemon', 'dbus-daemon', 'dbus-send'].every(
  (program) => spawnSync('which', [program]).status === 0,
)

describe.each([
  ['a stand-in', standIn, true],
  ['a Secret Service', gnomeKeyring, isThere],
] as const)('[KEY1] with %s', (_, open, canRun) => {
  async function staged() {
    const stage = await open()
    onTestFinished(() => stage.close())
    return { stage, homeWithKeys: () => homeWithKeys(stage.environment) }
  }

  test.skipIf(!canRun)('keys move there and back, and no file, list or error has one meanwhile', async () => {
    const { place, text } = (await staged()).homeWithKeys()
    const before = text()
    expect(setInFile(place, 'keyStore', 'keyring').kind).toBe('changed')
    expect(text()).toContain('"openai": "keyring" }, // mine')
    const config = readConfig(place)
    expect(config.values.keys.openai).toBe(KEY)
    expect(config.values.telegram.token).toBe('7:AAH')
    expect(config.sourceOf('keys.openai')).toEqual({ kind: 'keyring' })
    expect(text() + JSON.stringify(configJson(config))).not.toMatch(/sk-|AAH/)
    expect(statSync(join(place.home, 'config.json')).mode & 0o777).toBe(0o600)
    expect(setInFile(place, 'keyStore', 'file').kind).toBe('changed')
    expect(JSON.parse(text().replace(' // mine', ''))).toEqual({
      ...(JSON.parse(before.replace(' // mine', '')) as object),
      keyStore: 'file',
    })
    expect(new Keyring(place).read('keys.openai')).toEqual({ problem: 'is locked, or does not have it' })
  })

  test.skipIf(!canRun)(
    'a key that is set later goes there too, and one that is removed is gone',
    async () => {
      const { place, text } = (await staged()).homeWithKeys()
      setInFile(place, 'keyStore', 'keyring')
      for (const [key, secret] of [
        ['keys.openai', 'sk-new'],
        ['keys.google', 'sk-google'],
      ] as const)
        expect(setInFile(place, key, secret)).toMatchObject({ kind: 'changed', after: { value: secret } })
      expect(readConfig(place).values.keys).toMatchObject({ openai: 'sk-new', google: 'sk-google' })
      expect(text()).not.toContain('sk-')
      expect(setInFile(place, 'keys.google', 'sk-google').kind).toBe('unchanged')
      expect(setInFile(place, 'keys.google', 'keyring').kind).toBe('wrong')
      expect(unsetInFile(place, 'keys.google').kind).toBe('changed')
      expect(new Keyring(place).read('keys.google')).toHaveProperty('problem')
      expect(readConfig(place).values.keys.google).toBeNull()
    },
  )

  test.skipIf(!canRun)('where it is locked that is said, nothing is lost and nothing ends', async () => {
    const { stage, homeWithKeys } = await staged()
    const [{ place, text }, fresh] = [homeWithKeys(), homeWithKeys()]
    setInFile(place, 'keyStore', 'keyring')
    const moved = text()
    stage.lock()
    // What this process has read it keeps.
    utimesSync(join(place.home, 'config.json'), 1, 1)
    expect(readConfig(place)).toMatchObject({ values: { keys: { openai: KEY } }, warnings: [] })
    const locked = elsewhere(place)
    expect(locked).toMatchObject({ openai: null, changes: ['wrong', 'wrong', 'changed'] })
    expect(locked.warnings).toEqual([
      expect.stringMatching(
        /^The keyring is locked, or does not have it: keys\.openai, telegram\.token\. Unlock it/,
      ),
    ])
    expect(setInFile(fresh.place, 'keyStore', 'keyring')).toMatchObject({ kind: 'wrong' })
    expect(fresh.text()).toContain('"token": "7:AAH"')
    expect(text().replace(/,?\s*"historyWindow": 25/, '')).toBe(moved)
    stage.unlock?.()
    if (stage.unlock !== undefined) expect(elsewhere(place)).toMatchObject({ openai: KEY, warnings: [] })
  })
})

test.each([
  ['is absent', '', /^cannot be reached: secret-tool is not installed$/],
  ['hangs', '#!/bin/sh\nexec sleep 600\n', /^did not answer within 0\.1 s; it may be locked$/],
  ['refuses', '#!/bin/sh\ncat > /dev/null; echo "no bus" >&2; exit 1\n', /^cannot be used: no bus$/],
  ['forgets', '#!/bin/sh\ncat > /dev/null\n', /^is locked, or does not have it$/],
  ['mixes up', '#!/bin/sh\ncat > /dev/null; echo other\n', /^kept something else than it was given$/],
])('[KEY1] a keyring that %s is a problem with a sentence', (what, program, problem) => {
  const home = tempFolder()
  if (program !== '') writeFileSync(join(home, 'secret-tool'), program, { mode: 0o700 })
  const path = program === '' ? home : `${home}:/usr/bin:/bin`
  const place = { home, environment: { PATH: path } }
  expect(
    new Keyring(place, { platform: 'linux', timeoutMs: what === 'hangs' ? 100 : 60_000 }).write(
      'keys.openai',
      KEY,
    ),
  ).toMatch(problem)
})

test('[KEY1] on macOS a key is never an argument either', () => {
  const home = tempFolder()
  const program = `#!/bin/sh
echo "$@" >> ${home}/asked
if [ "$1" = -i ]; then cat > ${home}/given; else printf '%s\\n' 'sk-mac'; fi
`
  writeFileSync(join(home, 'security'), program, { mode: 0o700 })
  const place = { home, environment: { PATH: `${home}:/usr/bin:/bin` } }
  const keyring = new Keyring(place, { platform: 'darwin' })
  expect(keyring.write('keys.openai', 'sk-mac')).toBeUndefined()
  expect(readFileSync(join(home, 'given'), 'utf8')).toMatch(
    /^add-generic-password -U -a [\da-f]{16} -s mainstem\.keys\.openai -X 736b2d6d6163\n$/,
  )
  expect(readFileSync(join(home, 'asked'), 'utf8')).toMatch(
    /^-i\nfind-generic-password -a [\da-f]{16} -s mainstem\.keys\.openai -w\n$/,
  )
})

test('[KEY1] a file with keys that other users can read is warned of', () => {
  const { place } = homeWithKeys({})
  const file = join(place.home, 'config.json')
  const warned = (modes: readonly [number, number]): readonly string[] => {
    chmodSync(place.home, modes[0])
    chmodSync(file, modes[1])
    return readConfig(place).warnings
  }
  expect(warned([0o755, 0o644])).toEqual([
    `Other users can read the keys in ${file}. Close it to them: chmod 600 ${file}`,
  ])
  for (const modes of [
    [0o700, 0o644],
    [0o755, 0o600],
  ] as const)
    expect(warned(modes)).toEqual([])
  writeFileSync(file, '{ "historyWindow": 25 }')
  expect(warned([0o755, 0o644])).toEqual([])
})

function homeWithKeys(environment: Place['environment']): {
  readonly place: Place
  readonly text: () => string
} {
  const home = tempFolder()
  const file = join(home, 'config.json')
  const config = `{\n  "keys": { "openai": ${JSON.stringify(KEY)} }, // mine\n  "telegram": { "token": "7:AAH" }\n}\n`
  writeFileSync(file, config, { mode: 0o600 })
  return { place: { home, environment }, text: () => readFileSync(file, 'utf8') }
}

/** What another process reads there, and what becomes of its changes. */
function elsewhere(place: Place): { openai: string | null; warnings: string[]; changes: string[] } {
  const modules = ['config', 'write'].map((name) => import.meta.resolve(`./${name}.ts`))
  const script = `
    const [{ readConfig }, { setInFile }] = await Promise.all(${JSON.stringify(modules)}.map((one) => import(one)))
    const place = ${JSON.stringify(place)}
    const { values, warnings } = readConfig(place)
    const wishes = ${JSON.stringify([
      ['keyStore', 'file'],
      ['keys.openai', 'sk-new'],
      ['historyWindow', 25],
    ])}
    const changes = values.keys.openai === null ? wishes.map((wish) => setInFile(place, ...wish).kind) : []
    console.log(JSON.stringify({ openai: values.keys.openai, warnings, changes }))`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script])
  return JSON.parse(stdout.toString() || JSON.stringify(stderr.toString())) as ReturnType<typeof elsewhere>
}
