import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { isWithin } from '../../base/regular-file.ts'

/** A program as it is handed to the system. */
export interface Starting {
  readonly file: string
  readonly argv: readonly string[]
  /** Null: its own private folder. */
  readonly cwd: string | null
  readonly env: Readonly<Record<string, string>>
}

/** What a program in a box has besides the system's folders and a /tmp of its own. */
export interface Room {
  /** Names its private folder, which is its HOME: `skill-git`. */
  readonly name: string
  /** From the settings: visible and writable, unless they lead to what no box shows. */
  readonly folders: readonly string[]
  readonly writable: readonly string[]
  /** What it is started with. Scripts among it are shown with their packages, as the program is. */
  readonly scriptsIn?: readonly string[]
  /** Visible, never written to, also within a folder that is writable. */
  readonly readable: readonly string[]
  readonly network: boolean
}

export type SandboxMode = 'auto' | 'required' | 'off'

/** What can make boxes on this machine. */
export type BoxMaker =
  | {
      readonly kind: 'bubblewrap'
      readonly file: string
      readonly hasUserNamespaces: boolean
      /** Versions before 0.7 cannot bound a folder in memory. */
      readonly boundsMemoryFolders: boolean
      /** Versions before 0.8 cannot keep programs from making boxes of their own, with folders in memory. */
      readonly endsUserNamespaces: boolean
    }
  | { readonly kind: 'seatbelt'; readonly file: string }
  /** `fails`: it is installed, and may work the next time. */
  | { readonly kind: 'none'; readonly because: string; readonly fails?: true }

export type BoxDecision =
  | { readonly kind: 'box'; readonly maker: Exclude<BoxMaker, { kind: 'none' }> }
  | { readonly kind: 'bare'; readonly warning?: string }
  | { readonly kind: 'refused'; readonly problem: string }

export function boxDecision(mode: SandboxMode, findMaker: () => BoxMaker): BoxDecision {
  if (mode === 'off') return { kind: 'bare' }
  const maker = findMaker()
  if (maker.kind !== 'none') return { kind: 'box', maker }
  if (mode === 'auto')
    return {
      kind: 'bare',
      ...(maker.fails === true && { warning: `A program runs without a box: ${maker.because}` }),
    }
  return {
    kind: 'refused',
    problem: `sandbox is required, and there is no box for it here: ${maker.because}`,
  }
}

/** The places that no box shows, with all links followed. */
export interface Closed {
  /** Mainstem's: nothing in it is shown but the workspace and what the room itself names. */
  readonly home: string
  readonly workspace: string
  /** The person's: only folders in it that somebody named. */
  readonly userHome: string
  /** Where a socket may be: whoever reaches it is the terminal. */
  readonly sockets: readonly string[]
  /** Where links in the home lead, and the links on the way: with its settings and keys, for example. */
  readonly linked?: readonly string[]
}

/** Why a folder may not be shown, for a person; undefined if it may. A folder that holds a closed one would show that, too. */
export function closedProblem(folder: string, closed: Closed): string | undefined {
  const { home, workspace, userHome, sockets, linked = [] } = closed
  if (isWithin(workspace, folder)) return straysInto(folder, closed)
  const holds = (place: string): boolean => isWithin(folder, place)
  const isOf = (place: string): boolean => isWithin(place, folder)
  const why =
    holds(home) || isOf(home)
      ? "Mainstem's home"
      : sockets.some((place) => holds(place) || isOf(place))
        ? "the folder of Mainstem's socket"
        : linked.some((place) => holds(place) || isOf(place))
          ? "what a link in Mainstem's home leads to"
          : holds(userHome)
            ? 'your whole home folder'
            : undefined
  return why && `${folder} is not shown in a box, as it would show ${why}: name the folders that are needed`
}

/** The same for a workspace and folders in it, which the home may lead to by its links. */
export function straysInto(
  folder: string,
  { home, workspace, sockets, linked = [] }: Closed,
): string | undefined {
  const place = [home, ...sockets, ...linked].find(
    (one) => isWithin(folder, one) || (isWithin(workspace, one) && isWithin(one, folder)),
  )
  return (
    place &&
    `programs would see and change ${place}, which is Mainstem's own, as it lies in ${folder}: move it elsewhere`
  )
}

/** Those of the closed places that the system's folders would show, outer ones only. */
export function hiddenPlaces(
  { home, userHome, sockets, linked = [] }: Closed,
  { folders }: SystemPlaces,
): readonly string[] {
  const all = [home, userHome, ...sockets, ...linked]
  const shown = all.filter((place) => folders.some((folder) => place !== folder && isWithin(folder, place)))
  return [...new Set(shown)].filter((one) => !shown.some((outer) => outer !== one && isWithin(outer, one)))
}

/** Everything that decides what a box shows and allows; a pure function makes the words of it. */
export interface BoxPlan {
  readonly program: Starting
  readonly room: Room
  /** Holds what the program keeps; it is the program's HOME. */
  readonly privateFolder: string
  /** Of the program and its interpreter, outside of the system's folders. */
  readonly programPlaces: readonly string[]
  /** What defines the agent and its jobs: never written to, also in a folder that is writable. */
  readonly guarded: readonly string[]
  readonly system: SystemPlaces
  /** Folders within the system's that are shown empty: a home may be there. */
  readonly hidden: readonly string[]
  readonly uid: number
  /** Of each folder in memory. */
  readonly memoryFolderBytes: number
}

export interface SystemPlaces {
  readonly folders: readonly string[]
  /** `/bin` is a link to `usr/bin` on most systems. */
  readonly links: readonly { readonly path: string; readonly target: string }[]
}

export const SYSTEM_FOLDERS: readonly string[] =
  '/usr /bin /sbin /lib /lib32 /lib64 /libx32 /nix/store /run/current-system/sw'.split(' ')

/** Of /etc only this: root's box may read whatever root may, such as /etc/shadow and the keys in /etc/ssl/private. */
const ETC = [
  'alternatives ca-certificates ca-certificates.conf fonts group host.conf hosts inputrc ld.so.cache ld.so.conf',
  'ld.so.conf.d localtime locale.alias locale.conf magic mime.types nsswitch.conf os-release passwd pki/ca-trust',
  'pki/tls/certs pki/tls/openssl.cnf protocols resolv.conf services ssl/certs ssl/openssl.cnf terminfo timezone',
]
  .flatMap((names) => names.split(' '))
  .map((name) => `/etc/${name}`)

/** What each box shows, wherever it is made. */
export const SHOWN_ALWAYS: readonly string[] = [...SYSTEM_FOLDERS, ...ETC]

/** Where the private folder is in a box of bubblewrap. */
const INNER_HOME = '/box'
/** Where bubblewrap tells which process is the first in the box, before anything runs in it. */
export const TOLD_ON = 3
/** Root's programs are nobody special in a box. */
const INNER_UID = 1_000

/** The words that start the program in a box of bubblewrap, without the name of bubblewrap. */
export function bubblewrapWords(
  plan: BoxPlan,
  maker: Extract<BoxMaker, { kind: 'bubblewrap' }>,
): readonly string[] {
  const { program, room, privateFolder, system, uid } = plan
  const ids = uid === 0 ? `--uid ${INNER_UID} --gid ${INNER_UID}` : ''
  const bytes = maker.boundsMemoryFolders ? `--size ${plan.memoryFolderBytes}` : ''
  return [
    ...wordsOf(maker.hasUserNamespaces ? `--unshare-user ${ids}` : ''),
    ...wordsOf(maker.hasUserNamespaces && maker.endsUserNamespaces ? '--disable-userns' : ''),
    ...wordsOf('--unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try'),
    ...wordsOf(room.network ? '' : '--unshare-net'),
    // Otherwise what it started would outlive this process, or could type into its terminal.
    ...wordsOf(`--die-with-parent --new-session --cap-drop ALL --info-fd ${TOLD_ON}`),
    ...system.folders.flatMap((folder) => ['--ro-bind', folder, folder]),
    ...system.links.flatMap(({ path, target }) => ['--symlink', target, path]),
    ...plan.hidden.flatMap((folder) => ['--tmpfs', folder]),
    ...ETC.flatMap((path) => ['--ro-bind-try', path, path]),
    // Otherwise the programs of root could change settings of the machine in /proc/sys.
    ...wordsOf(
      `--proc /proc --remount-ro /proc --dev /dev ${bytes} --tmpfs /dev/shm --remount-ro /dev ${bytes} --tmpfs /tmp`,
    ),
    '--bind',
    privateFolder,
    INNER_HOME,
    ...placesOf(plan).flatMap(({ path, isWritable }) => [
      isWritable ? '--bind-try' : '--ro-bind-try',
      path,
      path,
    ]),
    // Last: all of the above needs places to stand on.
    ...plan.hidden.flatMap((folder) => ['--remount-ro', folder]),
    ...wordsOf(`--remount-ro / --setenv HOME ${INNER_HOME} --setenv TMPDIR /tmp --chdir`),
    program.cwd ?? INNER_HOME,
    '--',
    program.file,
    ...program.argv,
  ]
}

function wordsOf(text: string): readonly string[] {
  return text.split(' ').filter((word) => word !== '')
}

interface Place {
  readonly path: string
  readonly isWritable: boolean
}

/** The outermost `node_modules`: packages find each other there. */
function installedIn(file: string): string | undefined {
  return /^.*?\/node_modules(?=\/)/.exec(file)?.[0]
}

/** Outer folders first, so that an inner one is put on top of them; what is guarded on top of all. */
function placesOf(plan: BoxPlan): readonly Place[] {
  const { room, programPlaces, guarded } = plan
  const writable = writableIn(room)
  const readable = [...new Set([...programPlaces, ...room.readable])].filter(
    (path) => !writable.includes(path),
  )
  const held = guarded.filter((path) => writable.some((folder) => isWithin(folder, path)))
  const ways = waysIn(plan).filter((way) => !readable.some((folder) => isWithin(folder, way)))
  const places = [...readable.map(asReadable), ...[...writable, ...ways].map(asWritable)]
  return [
    ...places.toSorted((one, other) => depthOf(one.path) - depthOf(other.path)),
    ...held.map(asReadable),
  ]
}

function writableIn({ folders, writable }: Room): readonly string[] {
  return [...new Set([...folders, ...writable])]
}

/**
 * Folders on the way to what is guarded. Each is a place of its own, as no place can be moved: otherwise a program would
 * move one away, and make another with what it likes.
 */
function waysIn({ room, guarded }: BoxPlan): readonly string[] {
  const writable = writableIn(room)
  const ways = guarded.flatMap((path) => writable.flatMap((folder) => wayFrom(folder, path).slice(0, -1)))
  return [...new Set(ways)].filter((way) => !writable.includes(way))
}

/** The path and the folders above it, from below the outer folder on; none where it is not within. */
export function wayFrom(folder: string, path: string): readonly string[] {
  if (!isWithin(folder, path)) return []
  const names = relative(folder, path).split(sep).filter(Boolean)
  return names.map((_, at) => join(folder, ...names.slice(0, at + 1)))
}

function asReadable(path: string): Place {
  return { path, isWritable: false }
}

function asWritable(path: string): Place {
  return { path, isWritable: true }
}

function depthOf(path: string): number {
  return path.split('/').filter(Boolean).length
}

/** The same box as a profile for macOS, whose later rules win over earlier ones. */
export function seatbeltProfile(plan: BoxPlan): string {
  const { privateFolder, program, room } = plan
  const subpaths = (paths: readonly string[]) => paths.map((path) => `(subpath ${quoted(path)})`).join(' ')
  const places = placesOf(plan).map(({ path, isWritable }) =>
    isWritable
      ? `(allow file-read* file-write* ${subpaths([path])})`
      : `(allow file-read* ${subpaths([path])}) (deny file-write* ${subpaths([path])})`,
  )
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-exec process-fork sysctl-read)',
    // Only processes that it started itself.
    '(allow signal process-info* (target same-sandbox))',
    '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo") (global-name "com.apple.SecurityServer") (global-name "com.apple.trustd.agent"))',
    '(allow file-read-metadata)',
    `(allow file-read* (literal "/") ${subpaths(MAC_FOLDERS)})`,
    ...plan.hidden.map((folder) => `(deny file-read* ${subpaths([folder])})`),
    '(allow file-read* file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/random") (literal "/dev/urandom"))',
    `(allow file-read* file-write* ${subpaths([privateFolder])})`,
    ...places,
    ...waysIn(plan).map((way) => `(deny file-write-unlink (literal ${quoted(way)}))`),
    `(allow file-read* (literal ${quoted(program.file)}))`,
    ...(room.network ? ['(allow network-outbound (remote ip))', '(allow network-inbound (local ip))'] : []),
    ...(room.network ? ['(allow network-outbound (literal "/private/var/run/mDNSResponder"))'] : []),
  ].join('\n')
}

const MAC_FOLDERS = [
  '/usr /bin /sbin /System /Library/Apple /Library/Preferences/.GlobalPreferences.plist',
  '/private/etc/hosts /private/etc/resolv.conf /private/etc/ssl/cert.pem /private/var/db/timezone',
].flatMap((paths) => paths.split(' '))

function quoted(path: string): string {
  return `"${path.replaceAll(/["\\]/g, String.raw`\$&`)}"`
}

/**
 * Where a program and what it is made of lie, outside of the system's folders: `lib` beside a `bin` is its own, too, and
 * so is the package that a file belongs to (`packageOf`) if there is one.
 */
export function programPlaces(
  files: readonly string[],
  {
    closed,
    system,
    packageOf,
    realOf,
  }: {
    readonly closed: Closed
    readonly system: SystemPlaces
    readonly packageOf: (file: string) => string | undefined
    /** With all links followed, as the closed places are. */
    readonly realOf: (path: string) => string
  },
): readonly string[] {
  const isShown = (path: string): boolean =>
    [...system.folders, ...system.links.map((link) => link.path)].some((folder) => isWithin(folder, path))
  const hidden = hiddenPlaces(closed, system)
  const isHidden = (path: string): boolean => hidden.some((folder) => isWithin(folder, path))
  const isClosed = (path: string): boolean => closedProblem(realOf(path), closed) !== undefined
  return files
    .filter((file) => isAbsolute(file) && (!isShown(file) || isHidden(file)))
    .flatMap((file) => {
      const folder = installedIn(file) ?? packageOf(file) ?? dirname(file)
      const beside = dirname(folder)
      // A program that lies in the person's home itself is shown alone.
      if (isClosed(folder)) return [file]
      if (basename(folder) !== 'bin') return [folder]
      return [folder, join(beside, 'lib'), join(beside, 'pyvenv.cfg')]
    })
    .filter((path) => !isClosed(path))
}
