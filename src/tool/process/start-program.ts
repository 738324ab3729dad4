import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
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
  /** Called once the first process is known; in no box of bubblewrap, never. */
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
  const child = spawn(file, [...argv], {
    ...(cwd !== null && { cwd }),
    env: { ...env },
    shell: false,
    detached,
    windowsHide: true,
    stdio: [stdin, 'pipe', 'pipe', ...(tellsFirst ? (['pipe'] as const) : [])],
  })
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
    for (const act of acts) act(first)
  })
  return {
    child,
    first: () => first,
    onFirst: (act) => {
      acts.push(act)
      if (first !== undefined) act(first)
    },
    killBox: () => {
      isKilled = true
      if (first !== undefined) kill(first)
    },
  }
}

/** Otherwise the process is gone, and its number is somebody else's. */
function isFirstInBox({ pid }: ProcessNow): boolean {
  const status = orElse('', () => readFileSync(`/proc/${pid}/status`, 'utf8'))
  return /^NSpid:.*\t1$/m.test(status)
}

function kill({ pid, startTime }: ProcessNow): void {
  if (processesNow(pid)[0]?.startTime === startTime) orElse(false, () => process.kill(pid, 'SIGKILL'))
}
