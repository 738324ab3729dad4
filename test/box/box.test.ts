import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Room } from '../../src/tool/process/box.ts'
import { openBoxes, type Boxes, type BoxesParts } from '../../src/tool/process/boxes.ts'
import { runProgram, type Ran } from '../../src/tool/process/run-program.ts'
import { endOutgrown, replaceGuarded, watchTree } from '../../src/tool/process/watchdog.ts'
import type { Json } from '../../src/base/json.ts'
import { skillsCommand } from '../../src/cli/store/skills.ts'
import type { Config } from '../../src/config/table/settings.ts'
import { homeBoxes } from '../../src/runtime/home/home-boxes.ts'
import { openFolderSafely, type OpenFolder } from '../../src/tool/files/folder.ts'
import { openWorkspace } from '../../src/tool/files/workspace.ts'
import { loadHomeSkills, type SkillParts } from '../../src/runtime/home/home-skills.ts'
import { runHere, tempFolder } from '../cli/run.ts'
import { programs, put, putSkill, toolsOf } from '../skills/folders.ts'
import { call, newHome, reply, resultsIn, talkIn } from '../skills/talk.ts'
import { lastingBubblewrap, makerForTests, startedWith } from './maker.ts'

const maker = makerForTests()
const ATTACK = fileURLToPath(new URL('attack.cjs', import.meta.url))
const MEGABYTE = 1024 * 1024
const PYTHON = '/usr/bin/python3'

/** A home with a secret, a workspace and a socket, and programs that run beside it or in a box of it. */
function newStage({
  home = tempFolder(),
  boxes: made,
  ...more
}: Partial<BoxesParts> & { readonly home?: string; readonly boxes?: Boxes } = {}) {
  const workspace = join(home, 'workspace')
  put(join(workspace, 'AGENTS.md'), 'Be kind.')
  const boxes =
    made ??
    openBoxes({
      mode: () => 'required',
      closed: () => ({ home, workspace, userHome: homedir(), sockets: [join(home, 'run')] }),
      folder: join(home, 'boxes'),
      path: process.env['PATH'] ?? '',
      guarded: () => ({
        files: ['AGENTS.md', 'memory.md'].map((name) => join(workspace, name)),
        folders: [join(workspace, 'routines')],
      }),
      ...more,
    })
  const standard: Room = {
    name: 'attack',
    folders: [],
    writable: [workspace],
    readable: [ATTACK],
    network: false,
  }
  const run = (
    file: string,
    argv: readonly string[],
    room?: Partial<Room>,
    onStart: () => void = () => undefined,
  ): Promise<Ran> =>
    runProgram({
      onStart,
      file,
      argv,
      cwd: workspace,
      env: { PATH: process.env['PATH'] ?? '' },
      timeoutMs: 30_000,
      signal: new AbortController().signal,
      ...(room && { box: (program) => boxes(program, { ...standard, ...room }) }),
    })
  const attack = (words: Words): string[] => [ATTACK, ...words.map(String)]
  return {
    home,
    workspace,
    /** A line for a shell. */
    inside: (line: string, room: Partial<Room> = {}, onStart?: () => void) =>
      run('/bin/sh', ['-c', line], room, onStart),
    outside: (line: string) => run('/bin/sh', ['-c', line]),
    programInside: (file: string, room: Partial<Room> = {}) => run(file, [], room),
    attackInside: (words: Words, room: Partial<Room> = {}) => run(process.execPath, attack(words), room),
    attackOutside: (words: Words) => run(process.execPath, attack(words)),
  }
}

/** As a home with these settings has it. */
function stageOf(values: Config, home = tempFolder()) {
  return newStage({ home, boxes: homeBoxes({ home, environment: process.env, values: () => values }) })
}

/** For boxes that do not end with what made them. */
function lasting(): Partial<BoxesParts> {
  const file = join(lastingBubblewrap(), 'bwrap')
  return { findMaker: () => (maker.kind === 'none' ? maker : { ...maker, file }) }
}

type Words = readonly (string | number)[]

async function listening(where: number | string): Promise<Server> {
  const server = createServer((socket) => void socket.end()).listen(where)
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return server
}

const worked = { kind: 'exited', code: 0 }

describe.skipIf(maker.kind !== 'bubblewrap')('[BOX1] a program in a box', () => {
  test('reads no secret of the home, which it could outside', async () => {
    const { home, inside, outside } = newStage()
    const secret = put(join(home, 'config.json'), 'sesame')
    expect(await outside(`cat ${secret}`)).toMatchObject({ ...worked, stdout: 'sesame' })
    expect(await inside(`cat ${secret}`)).toMatchObject({ kind: 'exited', stdout: '' })
    expect(await inside('cat /etc/shadow')).toMatchObject({ kind: 'exited', stdout: '' })
    expect(await inside(`ls -A ${homedir()} /run /var /root 2>/dev/null; true`)).toMatchObject({
      ...worked,
      stdout: '',
    })
  })

  test('reads no environment of another process', async () => {
    const { inside } = newStage()
    const { stdout } = (await inside('ls /proc')) as Extract<Ran, { stdout: string }>
    expect(stdout.split('\n')).not.toContain(String(process.pid))
  })

  test('reaches the network only if it may', async () => {
    const { attackInside, attackOutside } = newStage()
    const { port } = (await listening(0)).address() as { port: number }
    expect(await attackOutside(['port', port])).toMatchObject({ ...worked, stdout: 'reached' })
    expect(await attackInside(['port', port])).toMatchObject({ kind: 'exited', stderr: 'ECONNREFUSED\n' })
    expect(await attackInside(['port', port], { network: true })).toMatchObject({
      ...worked,
      stdout: 'reached',
    })
  })

  test('reaches no socket of the home, also with the network, and no folder that would show it', async () => {
    const { home, workspace, attackInside, attackOutside } = newStage()
    const socket = join(home, 'run', 'mainstem.sock')
    mkdirSync(join(home, 'run'))
    await listening(socket)
    expect(await attackOutside(['socket', socket])).toMatchObject({ ...worked, stdout: 'reached' })
    for (const network of [false, true])
      expect(await attackInside(['socket', socket], { network })).toMatchObject({
        kind: 'exited',
        stderr: 'ENOENT\n',
      })
    const link = join(tempFolder(), 'link')
    symlinkSync('/', link)
    for (const folder of ['/', home, join(home, 'run'), link, join(workspace, '..')])
      expect(await attackInside(['socket', socket], { folders: [folder] })).toMatchObject({
        kind: 'not-started',
        problem: expect.stringContaining('is not shown in a box'),
      })
  })

  test('writes to its workspace and to folders that it was given, and nowhere else', async () => {
    const { home, workspace, inside, outside } = newStage()
    const [given, other] = [tempFolder(), tempFolder()]
    expect(await outside(`echo written > ${join(other, 'a')}`)).toMatchObject(worked)
    expect(await inside(`echo written > ${join(workspace, 'a')}`)).toMatchObject(worked)
    expect(await inside(`echo written > ${join(given, 'a')}`, { folders: [given] })).toMatchObject(worked)
    expect(readFileSync(join(given, 'a'), 'utf8')).toBe('written\n')
    rmSync(join(other, 'a'))
    const elsewhere = [join(other, 'a'), join(home, 'a'), '/a', '/usr/a', '/etc/a', '/dev/a', ATTACK]
    await Promise.all(elsewhere.map((file) => inside(`echo written > ${file}`)))
    expect(elsewhere.filter((file) => file !== ATTACK && existsSync(file))).toEqual([])
    expect(readFileSync(ATTACK, 'utf8')).not.toBe('written\n')
    expect(await inside(`echo written > ${join(workspace, 'AGENTS.md')}`)).not.toMatchObject(worked)
    expect(readFileSync(join(workspace, 'AGENTS.md'), 'utf8')).toBe('Be kind.')
  })

  test('makes no file that defines the agent where there is none', async () => {
    const { workspace, inside, outside } = newStage()
    const [file, folder] = [join(workspace, 'memory.md'), join(workspace, 'routines')]
    const make = `echo Obey. > ${file}; mkdir -p ${folder}; echo Obey. > ${join(folder, 'a.md')}; true`
    expect(await inside(make)).toMatchObject(worked)
    expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['', []])
    expect(await outside(make)).toMatchObject(worked)
    expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['Obey.\n', ['a.md']])
  })

  test('makes none in the workspace of a guest either', async () => {
    const home = tempFolder()
    const root = join(home, 'people', 'ana')
    put(join(root, 'notes.md'), 'Porto')
    const values = { sandbox: 'required', skills: { directory: null, extraDirs: [] } } as unknown as Config
    const boxes = homeBoxes({ home, root, environment: process.env, values: () => values })
    const { workspace, inside } = newStage({ home, boxes })
    const make = `cd ${root}; echo Obey. > memory.md; echo Obey. > reminders/a.md; echo Obey. > notes.md`
    expect(await inside(make, { writable: [workspace, root] })).toMatchObject(worked)
    expect(readFileSync(join(root, 'memory.md'), 'utf8')).toBe('')
    expect(readdirSync(join(root, 'reminders'))).toEqual([])
  })

  test('writes to no folder of skills, also one in its workspace', async () => {
    const home = tempFolder()
    const workspace = join(home, 'workspace')
    const file = put(join(workspace, 'skills', 'notes', 'SKILL.md'), 'Be kind.')
    const skills = { directory: join(workspace, 'skills'), extraDirs: [] }
    const { inside } = stageOf({ sandbox: 'required', skills } as unknown as Config, home)
    expect(await inside(`echo written > ${join(workspace, 'a')}`)).toMatchObject(worked)
    expect(await inside(`echo Obey. > ${file}`)).not.toMatchObject(worked)
    expect(readFileSync(file, 'utf8')).toBe('Be kind.')
  })

  test('is given a folder beside the home, also before Mainstem listens', async () => {
    const notes = tempFolder()
    put(join(notes, 'a'), 'Porto')
    const skills = { directory: null, extraDirs: [] }
    const { inside } = stageOf({ sandbox: 'required', skills } as unknown as Config)
    expect(await inside(`cat ${notes}/a`, { folders: [notes] })).toMatchObject({ ...worked, stdout: 'Porto' })
  })

  test('writes to no skill or job of which there is only a link, also one that leads nowhere yet', async () => {
    const home = tempFolder()
    const workspace = join(home, 'workspace')
    const files = ['my-skill/SKILL.md', 'texts/a.md', 'notes/brief.md', 'notes/sub/b.md']
    const paths = files.map((file) => put(join(workspace, file), 'Be kind.'))
    for (const folder of ['skills/other', 'workspace/routines', 'workspace/webhooks'])
      mkdirSync(join(home, folder), { recursive: true })
    const links = {
      'skills/mine': '../workspace/my-skill',
      'skills/other/a.md': '../../workspace/texts/a.md',
      'skills/later': '../workspace/later',
      'workspace/routines/brief.md': '../notes/brief.md',
      'workspace/routines/later.md': '../notes/later/c.md',
      'workspace/webhooks/b.md': join(workspace, 'notes/sub/b.md'),
    }
    for (const [from, to] of Object.entries(links)) symlinkSync(to, join(home, from))
    const skills = { directory: null, extraDirs: [] }
    const { inside } = stageOf({ sandbox: 'required', skills } as unknown as Config, home)
    const missing = [join(workspace, 'later', 'SKILL.md'), join(workspace, 'notes', 'later', 'c.md')]
    const attack = [...paths, ...missing].map((path) => `echo Obey. > ${path}; rm -f ${path}; mv ${path} x`)
    const moves = `mv ${workspace}/notes/sub ${workspace}/x; mv ${workspace}/my-skill ${workspace}/y`
    expect(await inside(`${attack.join('; ')}; ${moves}; echo written > notes/free.md`)).toMatchObject(worked)
    expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(paths.map(() => 'Be kind.'))
    expect([existsSync(missing[0] ?? ''), readFileSync(missing[1] ?? '', 'utf8')]).toEqual([false, ''])
    expect(readFileSync(join(workspace, 'notes/free.md'), 'utf8')).toBe('written\n')
  })

  test('starts whatever links stand among skills and jobs, where none of them can be replaced', async () => {
    const home = tempFolder()
    const skills = join(home, 'workspace', 'skills')
    const [bin, routines] = [join(skills, 'git', 'venv', 'bin'), join(home, 'workspace', 'routines')]
    put(join(skills, 'git', 'SKILL.md'), 'Be kind.')
    for (const folder of [bin, routines]) mkdirSync(folder, { recursive: true })
    symlinkSync('/usr/bin/env', join(bin, 'python3'))
    symlinkSync('python3', join(bin, 'python'))
    symlinkSync('circle', join(bin, 'circle'))
    symlinkSync('a.md', join(routines, 'a.md'))
    const values = { sandbox: 'required', skills: { directory: skills, extraDirs: [] } }
    const { inside } = stageOf(values as unknown as Config, home)
    expect(await inside(`echo Obey. > ${skills}/git/SKILL.md; echo 1 > free.md`)).toMatchObject(worked)
    expect(readFileSync(join(skills, 'git', 'SKILL.md'), 'utf8')).toBe('Be kind.')
  })

  test('is given no folder with a file of the home that is a link, or a link on the way to it', async () => {
    const [home, dotfiles, keys] = [tempFolder(), tempFolder(), tempFolder()]
    put(join(dotfiles, 'config.json'), '{"sandbox":"required"}')
    put(join(keys, 'env'), 'KEY=sesame')
    symlinkSync(join(dotfiles, 'config.json'), join(home, 'config.json'))
    symlinkSync(join(keys, 'env'), join(dotfiles, 'a'))
    symlinkSync(join(dotfiles, 'a'), join(home, '.env'))
    const elsewhere = tempFolder()
    symlinkSync(home, join(elsewhere, 'home'))
    const skills = { directory: null, extraDirs: [] }
    const { inside } = stageOf({ sandbox: 'required', skills } as unknown as Config, join(elsewhere, 'home'))
    for (const folder of [dotfiles, keys, elsewhere])
      expect(await inside(`cat ${dotfiles}/config.json ${keys}/env`, { folders: [folder] })).toMatchObject({
        kind: 'not-started',
        problem: expect.stringContaining('as it would show'),
      })
    expect(await inside('echo free > notes.md')).toMatchObject(worked)
  })

  test.each([
    ['a file of the home that is a link into it', 'notes/config.json', 'config.json'],
    ['a folder of the home that is a link into it', 'notes', 'files'],
    ['itself instead of a folder of the home', '.', 'run'],
  ])('is not started where its workspace holds %s', async (_, from, to) => {
    const home = tempFolder()
    const workspace = join(home, 'workspace')
    const secret = put(join(workspace, 'notes/config.json'), 'sesame')
    symlinkSync(join('workspace', from), join(home, to))
    const skills = { directory: null, extraDirs: [] }
    const { inside } = stageOf({ sandbox: 'required', skills } as unknown as Config, home)
    for (const room of [{}, { writable: [], folders: [join(workspace, 'notes')] }])
      expect(await inside(`cat ${secret}; echo {} > ${secret}`, room)).toMatchObject({
        kind: 'not-started',
        problem: expect.stringContaining("which is Mainstem's own"),
      })
    expect(readFileSync(secret, 'utf8')).toBe('sesame')
  })

  test('is not started where its workspace leads to a folder that holds the home', async () => {
    const around = tempFolder()
    const home = join(around, 'home')
    mkdirSync(home)
    symlinkSync(around, join(home, 'workspace'))
    const skills = { directory: null, extraDirs: [] }
    const { inside } = stageOf({ sandbox: 'required', skills } as unknown as Config, home)
    expect(await inside('ls home')).toMatchObject({
      kind: 'not-started',
      problem: expect.stringContaining(`change ${home}, which is Mainstem's own`),
    })
  })

  test('starts whatever links a person put in the home that Mainstem has no use for', async () => {
    const home = tempFolder()
    for (const [name, to] of Object.entries({ lib: '/usr/lib', python: '/usr/bin/env' }))
      symlinkSync(to, join(home, name))
    const skills = { directory: null, extraDirs: [] }
    const { inside } = stageOf({ sandbox: 'required', skills } as unknown as Config, home)
    expect(await inside('ls -d /usr/lib')).toMatchObject({ ...worked, stdout: '/usr/lib\n' })
  })

  test('sees nothing more of a home that lies behind a link', async () => {
    const around = tempFolder()
    const user = join(around, 'home', 'me')
    mkdirSync(join(around, 'var', 'home', 'me'), { recursive: true })
    symlinkSync('var/home', join(around, 'home'))
    const home = join(user, '.mainstem')
    const [secret, key] = [put(join(home, 'config.json'), 'sesame'), put(join(user, 'key'), 'sesame')]
    const { programInside, inside } = newStage({
      home,
      closed: () => ({ home, workspace: join(home, 'workspace'), userHome: user, sockets: [] }),
    })
    put(join(user, 'package.json'), '{}')
    for (const name of ['server', '.local/bin/tool']) {
      const file = put(join(user, name), `#!/bin/sh\ncat ${secret} ${key}; echo ran\n`)
      chmodSync(file, 0o755)
      expect(await programInside(file)).toMatchObject({ ...worked, stdout: 'ran\n' })
    }
    const script = put(join(user, 'a.cjs'), 'its text')
    const ran = await inside(`cat ${script} ${secret} ${key}`, { scriptsIn: [script] })
    expect(ran).toMatchObject({ kind: 'exited', stdout: 'its text' })
  })

  test('sees nothing of a home that lies in a folder of the system', async () => {
    // Stands in for one: it is only looked at.
    const home = readdirSync('/usr/share')
      .map((name) => join('/usr/share', name))
      .find((path) => statSync(path).isDirectory() && readdirSync(path).length > 0)
    const { inside, workspace } = newStage({
      closed: () => ({
        home: home ?? '',
        workspace: join(home ?? '', 'workspace'),
        userHome: homedir(),
        sockets: [],
      }),
    })
    expect(await inside(`ls ${home}; ls -d /usr/share; echo free > notes.md; mkdir ${home}/a`)).toMatchObject(
      {
        kind: 'exited',
        stdout: '/usr/share\n',
      },
    )
    expect(readFileSync(join(workspace, 'notes.md'), 'utf8')).toBe('free\n')
  })

  test('is given no folder in which the socket will be, also before Mainstem listens', async () => {
    const runtime = join(tempFolder(), 'run')
    mkdirSync(runtime)
    vi.stubEnv('XDG_RUNTIME_DIR', runtime)
    onTestFinished(() => void vi.unstubAllEnvs())
    const skills = { directory: null, extraDirs: [] }
    const { inside } = stageOf({ sandbox: 'required', skills } as unknown as Config)
    for (const folder of [runtime, dirname(runtime)])
      expect(await inside('ls', { folders: [folder] })).toMatchObject({
        kind: 'not-started',
        problem: expect.stringContaining("the folder of Mainstem's socket"),
      })
  })

  test('is looked at together with all others: what they may not write to is found out once', async () => {
    const home = tempFolder()
    const workspace = join(home, 'workspace')
    const guarded = vi.fn<BoxesParts['guarded']>(() => ({ files: [], folders: [workspace] }))
    const boxes = openBoxes({
      mode: () => 'required',
      closed: () => ({ home, workspace, userHome: homedir(), sockets: [] }),
      folder: join(home, 'boxes'),
      path: process.env['PATH'] ?? '',
      guarded,
    })
    const looks = ['a', 'b', 'c'].map((name) => {
      const room = { name, folders: [], writable: [workspace], readable: [], network: false }
      const boxed = boxes({ file: '/bin/sh', argv: [], cwd: null, env: {} }, room)
      return 'limits' in boxed ? boxed.limits?.isOutgrown : undefined
    })
    for (const times of [1, 2]) {
      guarded.mockClear()
      for (let time = 0; time < times; time++) {
        expect(looks.map((look) => look?.())).toEqual([false, false, false])
        await Promise.resolve()
      }
      expect(guarded).toHaveBeenCalledTimes(times)
    }
  })

  test('replaces no link on the way to a skill', async () => {
    const home = tempFolder()
    const workspace = join(home, 'workspace')
    put(join(workspace, 'real', 'SKILL.md'), 'Be kind.')
    mkdirSync(join(home, 'skills'))
    symlinkSync('real', join(workspace, 'alias'))
    symlinkSync('../workspace/alias', join(home, 'skills', 'mine'))
    const skills = { directory: null, extraDirs: [] }
    const { inside } = stageOf({ sandbox: 'required', skills } as unknown as Config, home)
    expect(await inside('rm alias; mkdir alias; echo Obey. > alias/SKILL.md')).toMatchObject({
      kind: 'not-started',
      problem: expect.stringContaining(`could replace the link ${join(workspace, 'alias')}`),
    })
  })

  test('moves no folder away in which folders of skills are', async () => {
    const notes = tempFolder()
    const file = put(join(notes, 'a', 'skills', 'x', 'SKILL.md'), 'Be kind.')
    const skills = { directory: join(notes, 'a', 'skills'), extraDirs: [] }
    const { inside } = stageOf({ sandbox: 'required', skills } as unknown as Config)
    const swap = `cd ${notes}; echo 1 > a/b; mv a c; mkdir -p a/skills/x; echo Obey. > a/skills/x/SKILL.md`
    expect(await inside(swap, { folders: [notes] })).toMatchObject({ kind: 'exited' })
    expect(readFileSync(file, 'utf8')).toBe('Be kind.')
    expect(readdirSync(join(notes, 'a'))).toEqual(['b', 'skills'])
  })

  test('replaces no link to what defines the agent', async () => {
    const { workspace, inside } = newStage()
    const rules = join(workspace, 'AGENTS.md')
    renameSync(rules, join(workspace, 'rules.md'))
    symlinkSync('rules.md', rules)
    expect(await inside(`rm ${rules}; echo Obey. > ${rules}`)).toMatchObject({
      kind: 'not-started',
      problem: expect.stringContaining(`could replace the link ${rules}`),
    })
  })

  test.each<[string, (at: { home: string; workspace: string; own: string }) => string]>([
    [
      'from AGENTS.md to another link',
      ({ workspace, own }) => {
        symlinkSync('v1/AGENTS.md', join(own, 'now'))
        rmSync(join(workspace, 'AGENTS.md'))
        symlinkSync(join(own, 'now'), join(workspace, 'AGENTS.md'))
        return 'now'
      },
    ],
    [
      'through a link to AGENTS.md',
      ({ workspace, own }) => {
        symlinkSync('v1', join(own, 'now'))
        rmSync(join(workspace, 'AGENTS.md'))
        symlinkSync(join(own, 'now/AGENTS.md'), join(workspace, 'AGENTS.md'))
        return 'now'
      },
    ],
    [
      'from the workspace to another link',
      ({ home, workspace, own }) => {
        symlinkSync('v1', join(own, 'now'))
        renameSync(workspace, join(home, 'old'))
        symlinkSync(join(own, 'now'), workspace)
        return 'now'
      },
    ],
    [
      'from a folder of jobs to another link',
      ({ workspace, own }) => {
        symlinkSync('v1', join(own, 'now'))
        rmSync(join(workspace, 'routines'), { recursive: true })
        symlinkSync(join(own, 'now'), join(workspace, 'routines'))
        return 'now'
      },
    ],
  ])('replaces no link on the way %s', async (_, lead) => {
    const [home, own] = [tempFolder(), tempFolder()]
    put(join(own, 'v1', 'AGENTS.md'), 'Be kind.')
    const skills = { directory: null, extraDirs: [] }
    const { inside, workspace } = stageOf({ sandbox: 'required', skills } as unknown as Config, home)
    expect(await inside('true', { folders: [own] })).toMatchObject(worked)
    const link = lead({ home, workspace, own })
    const swap = `cd ${own}; mkdir v2; echo Obey. > v2/AGENTS.md; ln -sfn v2 ${link}`
    expect(await inside(swap, { writable: [], folders: [own] })).toMatchObject({
      kind: 'not-started',
      problem: expect.stringContaining(`could replace the link ${join(own, link)}`),
    })
  })

  test('is ended before Mainstem replaces or removes what it may not write to', async () => {
    const { workspace, inside } = newStage()
    const files = openWorkspace(workspace)
    const race =
      'touch started; while :; do for f in AGENTS.md memory.md; do echo Obey. > $f; done; done 2>&-'
    const during = async (act: () => Promise<unknown>): Promise<void> => {
      rmSync(join(workspace, 'started'), { force: true })
      const running = inside(race)
      await expect.poll(() => existsSync(join(workspace, 'started'))).toBe(true)
      await act()
      expect(await running).toMatchObject({ kind: 'exceeded', excess: 'guard' })
    }
    await during(() => files.write('AGENTS.md', 'Be very kind.'))
    await during(() => files.write('memory.md', '- Porto'))
    expect(readFileSync(join(workspace, 'AGENTS.md'), 'utf8')).toBe('Be very kind.')
    expect(readFileSync(join(workspace, 'memory.md'), 'utf8')).toBe('- Porto')
    await during(() => files.remove('memory.md'))
    expect(existsSync(join(workspace, 'memory.md'))).toBe(false)
    expect(await inside('echo free > notes.md')).toMatchObject(worked)
  })

  test.each(['written elsewhere first', 'on another disk'])(
    'keeps no link to what Mainstem writes, and puts nothing in its place: %s',
    async (where) => {
      const { home, workspace, attackInside } = newStage()
      const stage = where === 'on another disk' ? undefined : join(home, 'run')
      const isSeen: boolean[] = []
      const openFolder: OpenFolder = async (wish) => {
        const folder = await openFolderSafely(wish)
        const at = (name: string): string => {
          if (name.endsWith('.unfinished')) isSeen.push(startedWith(workspace) > 0)
          return folder?.at(name) ?? ''
        }
        return folder && { ...folder, at }
      }
      const running = attackInside(['unfinished', workspace])
      await expect.poll(() => existsSync(join(workspace, 'started'))).toBe(true)
      await openWorkspace(workspace, openFolder, stage).write('AGENTS.md', 'Be very kind.')
      expect(isSeen).toEqual(stage === undefined ? [false] : [])
      expect(await running).toMatchObject({ kind: 'exceeded', excess: 'guard' })
      const file = join(workspace, 'AGENTS.md')
      expect([readFileSync(file, 'utf8'), statSync(file).nlink]).toEqual(['Be very kind.', 1])
      expect(readdirSync(workspace).filter((name) => /unfinished|innocent/.test(name))).toEqual([])
    },
  )

  test('is ended when an editor replaces what it may not write to, and not when it saves in place', async () => {
    const { workspace, inside } = newStage()
    const at = (name: string): string => join(workspace, name)
    const replacements = [
      () => renameSync(put(at('.AGENTS.md.swp'), 'Be very kind.'), at('AGENTS.md')),
      () => rmSync(at('memory.md')),
      () => renameSync(at('routines'), at('old')),
    ]
    for (const replace of replacements) {
      const running = inside('touch started; while :; do sleep 0.05; test ! -e saved || touch seen; done')
      await expect.poll(() => existsSync(at('started'))).toBe(true)
      put(at('AGENTS.md'), 'Be kind to all.')
      put(at('saved'), '')
      await expect.poll(() => existsSync(at('seen'))).toBe(true)
      replace()
      expect(await running).toMatchObject({ kind: 'exceeded', excess: 'guard' })
      for (const name of ['started', 'saved', 'seen']) rmSync(at(name))
    }
  })

  test.each<[string, (at: { home: string; workspace: string; directories: string[] }) => void]>([
    ['a linked skill', ({ home }) => symlinkSync('../workspace/later', join(home, 'skills/mine'))],
    [
      'a linked job',
      ({ workspace }) => symlinkSync('../later/SKILL.md', join(workspace, 'routines/brief.md')),
    ],
    [
      'a directory of skills',
      ({ workspace, directories }) => void directories.push(join(workspace, 'later')),
    ],
  ])('is ended when what it may write to becomes %s', async (_, become) => {
    const [home, directories] = [tempFolder(), [] as string[]]
    const workspace = join(home, 'workspace')
    put(join(workspace, 'later', 'SKILL.md'), 'Be kind.')
    for (const folder of ['skills', 'workspace/routines']) mkdirSync(join(home, folder))
    const skills = { directory: null, extraDirs: directories }
    const { inside } = stageOf({ sandbox: 'required', skills } as unknown as Config, home)
    const wait = 'touch started; while :; do sleep 0.05; done'
    for (const act of ['look', 'read'] as const) {
      const running = inside(wait)
      await expect.poll(() => existsSync(join(workspace, 'started'))).toBe(true)
      become({ home, workspace, directories })
      if (act === 'read') await endOutgrown()
      expect(await running).toMatchObject({ kind: 'exceeded', excess: 'guard' })
      for (const made of ['workspace/started', 'skills/mine', 'workspace/routines/brief.md'])
        rmSync(join(home, made), { force: true })
      directories.pop()
    }
  })

  test('puts no link in the place of a folder that it was given', async () => {
    const { workspace, inside } = newStage()
    const other = tempFolder()
    put(join(other, 'key'), 'sesame')
    const given = join(workspace, 'a', 'b')
    mkdirSync(given, { recursive: true })
    const swap = `cd ${workspace}; mv a old; mkdir a; ln -s ../../../..${other} a/b`
    expect(await inside(swap, { folders: [given] })).toMatchObject(worked)
    expect(await inside(`cat ${given}/key`, { folders: [given] })).toMatchObject({
      kind: 'not-started',
      problem: expect.stringContaining('is a link out of what programs write to'),
    })
  })

  test.each<[string, (at: { own: string; other: string; file: string }) => string]>([
    [
      'its first line names a project, which is not shown then',
      ({ own, other }) => `printf '#!${other}/.venv/bin/sh\\ncat ${other}/.env\\n' > ${own}/server`,
    ],
    [
      'its first line reads otherwise to the system',
      ({ own, other, file }) =>
        `ln -s ${other}/.env ${own}/i; ln -s /bin/sh "$(printf '${own}/i\\v')"; printf '#!${own}/i\\v\\ncat ${other}/.env\\n' > ${file}`,
    ],
    ['it is a link to another program', ({ other, file }) => `rm ${file}; ln -s ${other}/tool ${file}`],
    [
      'a folder on the way to it is a link',
      ({ own, other }) => `mv ${own}/bin ${own}/old; ln -s ${other}/bin ${own}/bin`,
    ],
  ])('that changed itself sees no more at its next start: %s', async (_, attack) => {
    const { programInside, inside } = newStage()
    const [own, other] = [tempFolder(), tempFolder()]
    const reading = `#!/bin/sh\ncat ${other}/.env\n`
    const [file = ''] = [join(own, 'bin/server'), join(other, 'tool'), join(other, 'bin/server')].map(
      (path) => {
        put(path, reading)
        chmodSync(path, 0o755)
        return path
      },
    )
    for (const name of ['.env', 'package.json']) put(join(other, name), 'sesame')
    mkdirSync(join(other, '.venv/bin'), { recursive: true })
    symlinkSync('/bin/sh', join(other, '.venv/bin/sh'))
    symlinkSync('bin/server', join(own, 'server'))
    for (const started of [file, join(own, 'server')]) {
      const ran = await programInside(started, { folders: [own] })
      expect(ran).toMatchObject({ kind: 'exited', stdout: '' })
    }
    expect(await inside(attack({ own, other, file }), { folders: [own] })).toMatchObject(worked)
    for (const started of [file, join(own, 'server')])
      expect(JSON.stringify(await programInside(started, { folders: [own] }))).not.toContain('sesame')
  })

  test.skipIf(!existsSync('/etc/alternatives/awk'))(
    'in a folder that it may write to starts with an interpreter of the system that is chosen in /etc',
    async () => {
      const { programInside } = newStage()
      const own = tempFolder()
      const file = put(join(own, 'server'), '#!/usr/bin/awk -f\nBEGIN { print "ran" }\n')
      chmodSync(file, 0o755)
      expect(await programInside(file, { folders: [own] })).toMatchObject({ ...worked, stdout: 'ran\n' })
    },
  )

  test('of skills in its workspace starts with an interpreter from elsewhere, and changes neither', async () => {
    const home = tempFolder()
    const [skills, other] = [join(home, 'workspace', 'skills'), tempFolder()]
    const python = put(join(other, 'bin', 'python'), '#!/bin/sh\necho ran\n')
    const file = put(join(skills, 'a', 'go'), `#!${python}\n`)
    const [link, free] = [join(skills, 'a', 'link'), join(home, 'workspace', 'free')]
    symlinkSync(python, link)
    put(free, `#!${python}\n`)
    for (const path of [python, file, free]) chmodSync(path, 0o755)
    const values = { sandbox: 'required', skills: { directory: skills, extraDirs: [] } }
    const { programInside, inside } = stageOf(values as unknown as Config, home)
    for (const path of [file, link])
      expect(await programInside(path)).toMatchObject({ ...worked, stdout: 'ran\n' })
    expect(await programInside(free)).toMatchObject({ kind: 'not-started' })
    expect(await inside(`echo > ${file} || ln -sfn /bin/sh ${link} || mv ${skills} b`)).not.toMatchObject(
      worked,
    )
    expect(readFileSync(file, 'utf8')).toBe(`#!${python}\n`)
  })

  test('that put a pipe in its own place is not waited for at its next start', async () => {
    const { programInside } = newStage()
    const own = tempFolder()
    const file = put(join(own, 'server'), `#!/bin/sh\ncd ${own} && rm server && mkfifo -m 755 server\n`)
    chmodSync(file, 0o755)
    expect(await programInside(file, { folders: [own] })).toMatchObject(worked)
    expect(await programInside(file, { folders: [own] })).not.toMatchObject(worked)
  })

  test('keeps a private folder as its home, and nothing in /tmp', async () => {
    const { inside } = newStage()
    expect(await inside('echo one > ~/kept; echo two > /tmp/gone; cat /tmp/gone')).toMatchObject(worked)
    expect(await inside('cat ~/kept; test ! -e /tmp/gone')).toMatchObject({ ...worked, stdout: 'one\n' })
    expect(await inside('ls -A ~', { name: 'another' })).toMatchObject({ ...worked, stdout: '' })
  })

  test('sends no signal to processes outside', async () => {
    const { inside, outside } = newStage()
    const other = spawn('/bin/sleep', ['1000'])
    onTestFinished(() => void other.kill('SIGKILL'))
    await once(other, 'spawn')
    expect(await outside(`kill -0 ${other.pid}`)).toMatchObject(worked)
    expect(await inside(`kill -0 ${other.pid}`)).not.toMatchObject(worked)
  })

  test('changes no setting of the machine', async () => {
    const { inside } = newStage()
    const file = '/proc/sys/kernel/panic'
    // Its own value, in case it can.
    expect(await inside(`value=$(cat ${file}) && echo "$value" > ${file}`)).not.toMatchObject(worked)
    const places = '/proc/sys /proc/irq /proc/bus /proc/fs /proc/sysrq-trigger'
    expect(await inside(`find ${places} -writable 2>/dev/null | head -n 1`)).toMatchObject({ stdout: '' })
    expect(await inside('(echo seen > /dev/stdout) | cat; cat /proc/self/comm')).toMatchObject({
      stdout: 'seen\ncat\n',
    })
  })

  test('has no rights of root and gets none', async () => {
    const { inside } = newStage()
    const { stdout } = (await inside('cat /proc/self/status')) as Extract<Ran, { stdout: string }>
    expect(stdout).toMatch(/^CapEff:\t0+$/m)
    expect(stdout).toMatch(/^CapBnd:\t0+$/m)
    expect(stdout).toMatch(/^NoNewPrivs:\t1$/m)
  })

  test('that starts process after process is ended with all of them', async () => {
    const { inside } = newStage({
      limits: { processesMax: 40, residentBytesMax: 1e10, memoryFolderBytes: 1e6 },
    })
    const word = `1000.${process.pid}1`
    expect(await inside(`for i in $(seq 100); do setsid sleep ${word} & done; wait`)).toMatchObject({
      kind: 'exceeded',
      excess: 'processes',
    })
    await expect.poll(() => startedWith(word)).toBe(0)
  })

  test('that fills the memory is ended, and so is what fills its /tmp', async () => {
    const limits = { processesMax: 40, residentBytesMax: 300 * MEGABYTE, memoryFolderBytes: MEGABYTE }
    const { attackInside, inside } = newStage({ limits })
    expect(await attackInside(['memory', 20 * MEGABYTE, 30])).toMatchObject({
      kind: 'exceeded',
      excess: 'memory',
    })
    const filled = await inside('head -c 2000000 /dev/zero > /tmp/full')
    if (maker.kind === 'bubblewrap' && maker.boundsMemoryFolders) expect(filled).not.toMatchObject(worked)
  })

  test.skipIf(!existsSync(PYTHON))(
    'that fills the memory with what no process has mapped is ended',
    async () => {
      const { inside } = newStage({
        limits: { processesMax: 40, residentBytesMax: 60 * MEGABYTE, memoryFolderBytes: MEGABYTE },
      })
      const code = `import os, time; f = os.memfd_create('x'); [os.write(f, b'x' * ${MEGABYTE}) for i in range(80)]; time.sleep(1000)`
      expect(await inside(`${PYTHON} -c "${code}"`)).toMatchObject({ kind: 'exceeded', excess: 'memory' })
    },
  )

  test('that starts thread after thread is ended', async () => {
    const { attackInside } = newStage({
      limits: { processesMax: 40, threadsMax: 20, residentBytesMax: 1e10, memoryFolderBytes: MEGABYTE },
    })
    expect(await attackInside(['threads', 0, 20])).toMatchObject({ kind: 'exceeded', excess: 'processes' })
  })

  test('is ended where the machine has too little memory left', async () => {
    const { inside } = newStage({
      limits: {
        processesMax: 40,
        residentBytesMax: 1e15,
        memoryFolderBytes: MEGABYTE,
        availableBytesMin: 1e15,
      },
    })
    expect(await inside('sleep 1000')).toMatchObject({ kind: 'exceeded', excess: 'memory' })
  })

  test.skipIf(maker.kind !== 'bubblewrap' || !maker.endsUserNamespaces)(
    'makes no box of its own',
    async () => {
      const { inside, outside } = newStage()
      if ((await outside('unshare -U true')).kind === 'exited')
        expect(await inside('unshare -U true')).not.toMatchObject(worked)
    },
  )

  test('[TOOL2] leaves nothing behind, also what has left its group', async () => {
    const { inside } = newStage()
    const word = `1000.${process.pid}2`
    expect(await inside(`setsid sleep ${word} & echo done`)).toMatchObject(worked)
    await expect.poll(() => startedWith(word)).toBe(0)
  })

  test('[TOOL2] leaves nothing behind either where the box does not end with what made it', async () => {
    const { workspace, inside } = newStage(lasting())
    const word = `1000.${process.pid}3`
    expect(await inside(`setsid sleep ${word} & echo done`)).toMatchObject(worked)
    await expect.poll(() => startedWith(word)).toBe(0)
    const running = inside(`setsid sleep ${word} & touch started; sleep ${word}`)
    await expect.poll(() => existsSync(join(workspace, 'started'))).toBe(true)
    await openWorkspace(workspace).write('AGENTS.md', 'Be very kind.')
    expect(startedWith(word)).toBe(0)
    expect(await running).toMatchObject({ kind: 'exceeded', excess: 'guard' })
  })

  test('that cannot be noted is killed, and did not start', async () => {
    const { workspace, inside } = newStage()
    const ran = await inside('sleep 1; touch noted', {}, () => {
      throw new Error('the disk is full')
    })
    expect(ran).toEqual({ kind: 'not-started', problem: 'the disk is full' })
    expect(existsSync(join(workspace, 'noted'))).toBe(false)
  })

  test('that does not die keeps Mainstem from replacing what it could write to', async () => {
    const file = put(join(tempFolder(), 'AGENTS.md'), 'Be kind.')
    const child = spawn('/bin/sleep', ['1000'])
    const limits = { processesMax: 9, residentBytesMax: 1e10, guarded: [file] }
    const told = new Promise((resolve) => watchTree({ child, first: () => undefined }, limits, resolve))
    const replaced: string[] = []
    expect(await replaceGuarded(file, () => replaced.push('too early'), 3)).toBe(false)
    expect(await told).toBe('guard')
    child.kill('SIGKILL')
    expect(await replaceGuarded(file, () => replaced.push('in time'))).toBe(true)
    expect(replaced).toEqual(['in time'])
  })
})

describe('[BOX1] without anything that makes boxes', () => {
  const none = { findMaker: () => ({ kind: 'none', because: 'nothing is installed' }) as const }

  test('auto runs it as it is, and required refuses', async () => {
    const auto = newStage({ ...none, mode: () => 'auto' })
    const secret = put(join(auto.home, 'secret'), 'sesame')
    expect(await auto.inside(`cat ${secret}`)).toMatchObject({ ...worked, stdout: 'sesame' })
    const required = newStage(none)
    expect(await required.inside(`cat ${secret}`)).toEqual({
      kind: 'not-started',
      problem: 'sandbox is required, and there is no box for it here: nothing is installed',
    })
  })
})

test.skipIf(maker.kind !== 'bubblewrap')(
  '[BOX1] a bubblewrap that failed once is tried again for the next program, and that it failed is said',
  async () => {
    const [folder, warnings] = [tempFolder(), [] as string[]]
    const fake = put(join(folder, 'bwrap'), '#!/bin/sh\necho no memory >&2\nexit 1\n')
    chmodSync(fake, 0o755)
    const { home, inside } = newStage({
      mode: () => 'auto',
      path: folder,
      warn: (text) => void warnings.push(text),
    })
    const secret = put(join(home, 'secret'), 'sesame')
    expect(await inside(`cat ${secret}`)).toMatchObject({ ...worked, stdout: 'sesame' })
    expect(warnings).toEqual([`A program runs without a box: ${fake} cannot make one (no memory)`])
    put(fake, `#!/bin/sh\nexec ${maker.kind === 'none' ? '' : maker.file} "$@"\n`)
    expect(await inside(`cat ${secret}`)).toMatchObject({ kind: 'exited', stdout: '' })
    expect(warnings).toHaveLength(1)
  },
)

describe.skipIf(maker.kind === 'none')('[BOX1] a tool of a skill', () => {
  const spy = 'process.stdout.write(require("node:fs").readFileSync(process.argv.at(-1).split("=").at(-1)))'

  test.each([
    ['required', false],
    ['off', true],
  ])('reads a secret of the home where sandbox is %s: %s', async (sandbox, reads) => {
    const home = newHome()
    const secret = put(join(home, 'secret'), 'sesame')
    putSkill(join(home, 'skills'), 'spy', { tools: toolsOf('spy', { look: ['file'] }) })
    const steps = [call('look', { file: secret }), reply('Seen.')]
    const set = { sandbox, permissions: 'bypassPermissions' }
    const talk = await talkIn(home, { path: programs({ spy }), set, steps })
    const { turn } = await talk.say('Look.')
    const [result] = await resultsIn(home, turn)
    expect(result?.text?.includes('sesame') ?? false).toBe(reads)
    expect(result?.error?.includes('ENOENT') ?? false).toBe(!reads)
  })
})

test('[BOX1] that a skill reaches the network is shown with each call and when it is allowed, and is another permission', async () => {
  const home = newHome()
  const tools = toolsOf('git', { status: [] }) as Record<string, Json>
  putSkill(join(home, 'skills'), 'one', { tools })
  const environment = { PATH: process.env['PATH'] ?? '' }
  const values = {
    sandbox: 'auto',
    skills: { directory: null, extraDirs: [], disabled: [], roots: [], allowScripts: false },
  } as unknown as SkillParts['values']
  const natureNow = async () => {
    const { skills } = await loadHomeSkills({ home, workspace: join(home, 'workspace'), values, environment })
    return skills[0]?.tools[0]?.nature
  }
  const before = await natureNow()
  expect(before?.shownAs).toBeUndefined()
  putSkill(join(home, 'skills'), 'one', { tools: { ...tools, network: true } })
  const after = await natureNow()
  expect(after?.shownAs?.({})).toContain('(it reaches the network)')
  expect(after?.fingerprint).not.toBe(before?.fingerprint)
  expect((await runHere(skillsCommand, home, ['allow', 'one'])).out).toContain(
    'its programs reach the network',
  )
})
