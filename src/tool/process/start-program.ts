import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { orElse } from '../../base/message-of.ts'
import { type Starting, TOLD_ON } from './box.ts'
import { processesNow, type ProcessNow } from './left-behind.ts'

/** A program that runs, and the first process of its box. */
export interface StartedProgram {
  readonly child: ChildProcess
  /**
   * The first process in its box, once bubblewrap has told which one it is. All others in the box end with it, whatever
   * they did; that it ends with bubblewrap is something that they can turn off.
   */
  readonly first: () => ProcessNow | undefined
  /**
   * Called once the first process is known; in no box of bubblewrap, never. If it throws, the box is killed, and the
   * child has that error.
   */
  readonly onFirst: (act: (first: ProcessNow) => void) => void
  /** Kills all that is in its box, at once or as soon as the first process is known. */
  readonly killBox: () => void
}

export interface Opening {
  readonly stdin: 'pipe' | 'ignore'
  /** Whether it gets a group of its own. */
  readonly detached: boolean
}

export function startProgram(
  { file, argv, cwd, env, tellsFirst = false }: Starting & { readonly tellsFirst?: boolean },
  { stdin, detached }: Opening,
): StartedProgram {
  const stdio = [stdin, 'pipe', 'pipe', ...(tellsFirst ? ['pipe' as const] : [])] as const
  const child = withNothingElse(stdio, (all) =>
    spawn(file, [...argv], {
      ...(cwd !== null && { cwd }),
      env: { ...env },
      shell: false,
      detached,
      windowsHide: true,
      stdio: all,
    }),
  )
  let first: ProcessNow | undefined
  let isKilled = false
  const acts: ((first: ProcessNow) => void)[] = []
  let text = ''
  const told = child.stdio[TOLD_ON]
  // Written before anything runs in the box, so it is there also when all of it has ended already.
  told?.on('error', () => undefined)
  told?.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    const pid = /"child-pid":\s*(\d+)\b\D/.exec(text)?.[1]
    if (first !== undefined || pid === undefined) return
    first = processesNow(Number(pid)).find(isFirstInBox)
    if (first === undefined) return
    if (isKilled) kill(first)
    try {
      for (const act of acts) act(first)
    } catch (error) {
      // Nobody else could catch it here: it would end Mainstem.
      killBox()
      child.emit('error', error)
    }
  })
  const killBox = (): void => {
    isKilled = true
    if (first !== undefined) kill(first)
  }
  return {
    child,
    first: () => first,
    onFirst: (act) => {
      acts.push(act)
      if (first !== undefined) act(first)
    },
    killBox,
  }
}

type Stdio = readonly ('pipe' | 'ignore' | number)[]

/** Puts /dev/null over descriptors that were left open by the starter of this process: one of a folder leads anywhere. */
function withNothingElse(stdio: Stdio, start: (all: [...Stdio]) => ChildProcess): ChildProcess {
  const left = leftOpen().filter((descriptor) => descriptor >= stdio.length)
  if (left.length === 0) return start([...stdio])
  const nothing = openSync('/dev/null', 'r+')
  try {
    const all = Array.from({ length: Math.max(...left) + 1 }, (_, at) => stdio[at] ?? 'ignore')
    return start(all.map((one, at) => (left.includes(at) ? nothing : one)))
  } finally {
    closeSync(nothing)
  }
}

const O_CLOEXEC = 0o2000000

/** Those that a program which is started would have, too. Our own are all closed then. */
function leftOpen(): readonly number[] {
  return orElse([], () =>
    readdirSync('/proc/self/fd')
      .map(Number)
      .filter((descriptor) => descriptor > 2 && (flagsOf(descriptor) & O_CLOEXEC) === 0),
  )
}

/** One that is closed by now, such as that of the list itself, counts as closed for programs. */
function flagsOf(descriptor: number): number {
  const info = orElse('', () => readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'))
  return Number.parseInt(/^flags:\s*(\d+)/m.exec(info)?.[1] ?? O_CLOEXEC.toString(8), 8)
}

/** Otherwise the process is gone, and its number is somebody else's. */
function isFirstInBox({ pid }: ProcessNow): boolean {
  const status = orElse('', () => readFileSync(`/proc/${pid}/status`, 'utf8'))
  return /^NSpid:.*\t1$/m.test(status)
}

function kill({ pid, startTime }: ProcessNow): void {
  if (processesNow(pid)[0]?.startTime === startTime) orElse(false, () => process.kill(pid, 'SIGKILL'))
}
