import { describe, expect, test } from 'vitest'
import {
  boxDecision,
  bubblewrapWords,
  closedProblem,
  hiddenPlaces,
  programPlaces,
  seatbeltProfile,
  type BoxMaker,
  type BoxPlan,
  type Room,
} from './box.ts'

const bwrap = {
  kind: 'bubblewrap',
  file: '/usr/bin/bwrap',
  hasUserNamespaces: true,
  boundsMemoryFolders: true,
  endsUserNamespaces: true,
} as const
const none: BoxMaker = { kind: 'none', because: 'install one' }

test.each([
  ['auto', bwrap, { kind: 'box', maker: bwrap }],
  ['required', bwrap, { kind: 'box', maker: bwrap }],
  ['off', bwrap, { kind: 'bare' }],
  ['auto', none, { kind: 'bare' }],
  ['off', none, { kind: 'bare' }],
  [
    'required',
    none,
    { kind: 'refused', problem: 'sandbox is required, and there is no box for it here: install one' },
  ],
] as const)('[BOX1] %s decides with what makes boxes', (mode, maker, decision) =>
  expect(boxDecision(mode, () => maker)).toEqual(decision),
)

const closed = {
  home: '/home/me/.mainstem',
  workspace: '/home/me/.mainstem/workspace',
  userHome: '/home/me',
  sockets: ['/run/user/1000'],
}

describe('[BOX1] a folder', () => {
  test.each([
    '/',
    '/home',
    '/home/me',
    '/home/me/.mainstem',
    '/home/me/.mainstem/files',
    '/run',
    '/run/user/1000',
    '/run/user/1000/x',
  ])('%s is not shown', (folder) =>
    expect(closedProblem(folder, closed)).toMatch(/^\S+ is not shown in a box, as it would show /),
  )

  test.each(['/srv', '/home/me/code', '/home/me/.mainstem-notes', '/home/me/.mainstem/workspace/a', '/runs'])(
    '%s is shown',
    (folder) => expect(closedProblem(folder, closed)).toBeUndefined(),
  )
})

test('[BOX1] a whole home folder is not shown, wherever Mainstem has its own', () =>
  expect(closedProblem('/home/me', { ...closed, home: '/srv/m', workspace: '/srv/m/workspace' })).toContain(
    'your whole home folder',
  ))

const system = { folders: ['/usr'], links: [{ path: '/bin', target: 'usr/bin' }] }

const realOf = (path: string) => path.replace(/^\/linked(?=\/)/, '/home')
const packageIn = (file: string) => (file.startsWith('/srv/app/') ? '/srv/app' : undefined)

test.each([
  ['/usr/bin/git', []],
  ['/srv/app/dist/index.js', ['/srv/app']],
  ['/srv/app/node_modules/a/node_modules/b/c.js', ['/srv/app/node_modules']],
  ['/bin/sh', []],
  ['/usrs/x/tool', ['/usrs/x']],
  ['/opt/node/bin/node', ['/opt/node/bin', '/opt/node/lib', '/opt/node/pyvenv.cfg']],
  ['/home/me/tool', ['/home/me/tool']],
  ['/linked/me/tool', ['/linked/me/tool']],
  ['/linked/me/bin/tool', ['/linked/me/bin', '/linked/me/lib', '/linked/me/pyvenv.cfg']],
  ['/linked/me/.mainstem/skills/a/scripts/tool', []],
  ['/home/me/.mainstem/skills/a/scripts/tool', []],
  ['/run/user/1000/mainstem.sock', []],
])('[BOX1] of the program %s its own places are shown', (file, places) =>
  expect(programPlaces([file], { closed, system, packageOf: packageIn, realOf })).toEqual(places),
)

test('[BOX1] beside a program no lib is shown that holds the home', () => {
  const others = { ...closed, home: '/opt/u/lib/mainstem', workspace: '/opt/u/lib/mainstem/workspace' }
  const shown = programPlaces(['/opt/u/bin/tool'], { closed: others, system, packageOf: packageIn, realOf })
  expect(shown).toEqual(['/opt/u/bin', '/opt/u/pyvenv.cfg'])
})

test('[BOX1] homes within the folders of the system are shown empty', () => {
  const others = {
    ...closed,
    home: '/usr/home/me/.mainstem',
    userHome: '/usr/home/me',
    linked: ['/usr/srv/env'],
  }
  const hidden = hiddenPlaces(others, system)
  expect(hidden).toEqual(['/usr/home/me', '/usr/srv/env'])
  const made = words({ hidden })
  expect(made).toMatch(
    /--ro-bind \/usr \/usr .*--tmpfs \/usr\/home\/me .*--bind-try \/w .*--remount-ro \/usr\/home\/me /,
  )
  expect(seatbeltProfile({ ...plan, hidden })).toMatch(
    /\(deny file-read\* \(subpath "\/usr\/home\/me"\)\)[^]*\/w/,
  )
  const file = '/usr/home/me/bin/tool'
  const of = programPlaces([file], { closed: others, system, packageOf: packageIn, realOf })
  expect(of).toEqual(['/usr/home/me/bin', '/usr/home/me/lib', '/usr/home/me/pyvenv.cfg'])
})

const room: Room = {
  name: 'skill-a',
  folders: ['/srv/data'],
  writable: ['/w'],
  readable: ['/w/skills/a'],
  network: false,
}
const plan: BoxPlan = {
  program: { file: '/opt/a', argv: ['x', '$(y)'], cwd: '/w', env: {} },
  room,
  privateFolder: '/h/boxes/skill-a',
  programPlaces: ['/opt/b'],
  guarded: ['/w/AGENTS.md', '/elsewhere/AGENTS.md'],
  system,
  hidden: [],
  uid: 0,
  memoryFolderBytes: 5,
}
const words = (more: Partial<BoxPlan> = {}, maker: typeof bwrap = bwrap) =>
  bubblewrapWords({ ...plan, ...more }, maker).join(' ')

describe('[BOX1] a box of bubblewrap', () => {
  test('shows outer folders before inner ones, and what defines the agent last, to be read only', () => {
    const places = words().match(/--(?:ro-)?bind-try \/(?!etc)\S+/g)
    expect(places).toEqual([
      '--bind-try /w',
      '--ro-bind-try /opt/b',
      '--bind-try /srv/data',
      '--ro-bind-try /w/skills/a',
      '--ro-bind-try /w/AGENTS.md',
    ])
  })

  test('is closed after its places are made, and ends with the words of the program as they are', () =>
    expect(words()).toMatch(/\/w\/AGENTS.md --remount-ro \/ .* --chdir \/w -- \/opt\/a x \$\(y\)$/))

  test('has a network only if the room has one', () => {
    expect(words()).toContain('--unshare-net')
    expect(words({ room: { ...room, network: true } })).not.toContain('--unshare-net')
  })

  test('makes nobody special of root, without rights', () => {
    expect(words()).toContain('--unshare-user --uid 1000 --gid 1000')
    expect(words({ uid: 501 })).not.toContain('--uid')
    expect(words()).toContain('--die-with-parent --new-session --cap-drop ALL')
  })

  test('does without what the machine or an older version lacks', () => {
    expect(bubblewrapWords(plan, { ...bwrap, hasUserNamespaces: false }).join(' ')).not.toMatch(/-user|--uid/)
    expect(bubblewrapWords(plan, { ...bwrap, boundsMemoryFolders: false })).not.toContain('--size')
    expect(words()).toContain('--disable-userns')
    for (const lacks of [{ hasUserNamespaces: false }, { endsUserNamespaces: false }])
      expect(bubblewrapWords(plan, { ...bwrap, ...lacks })).not.toContain('--disable-userns')
  })

  test('shows of /etc neither passwords nor private keys', () => {
    const shown = words().match(/(?<=--ro-bind-try )\/etc\/\S+/g) ?? []
    expect(shown).toContain('/etc/ssl/certs')
    expect(shown.filter((path) => /shadow|private|\/etc\/ssl$|\/etc\/pki$|ssh/.test(path))).toEqual([])
  })
})

describe('[BOX1] a profile for macOS', () => {
  const profile = seatbeltProfile(plan)

  test('denies what it does not name', () => {
    expect(profile).toMatch(/^\(version 1\)\n\(deny default\)\n/)
    expect(profile).not.toContain('(allow network')
    expect(profile).not.toMatch(/\(subpath "(?:\/|\/Users|\/private|\/h)"\)/)
  })

  test('has the same places in the same order, and takes writing away again', () =>
    expect(profile.match(/^\(allow file-read\*.*\(subpath "\/(?:w|opt|srv)\b.*$/gm)).toEqual([
      '(allow file-read* file-write* (subpath "/w"))',
      '(allow file-read* (subpath "/opt/b")) (deny file-write* (subpath "/opt/b"))',
      '(allow file-read* file-write* (subpath "/srv/data"))',
      '(allow file-read* (subpath "/w/skills/a")) (deny file-write* (subpath "/w/skills/a"))',
      '(allow file-read* (subpath "/w/AGENTS.md")) (deny file-write* (subpath "/w/AGENTS.md"))',
    ]))

  test('moves no folder away that has what is guarded in it', () =>
    expect(seatbeltProfile({ ...plan, guarded: ['/w/a/b/skills'] }).match(/.*unlink.*/g)).toEqual([
      '(deny file-write-unlink (literal "/w/a"))',
      '(deny file-write-unlink (literal "/w/a/b"))',
    ]))

  test('has a network only if the room has one, and quotes what a path holds', () => {
    const other = seatbeltProfile({ ...plan, room: { ...room, network: true, folders: ['/a"b\\c'] } })
    expect(other).toContain('(allow network-outbound (remote ip))')
    expect(other).toContain(String.raw`(subpath "/a\"b\\c")`)
  })
})
