import { chmodSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { BoxMaker } from '../../src/tool/process/box.ts'
import { boxMaker } from '../../src/tool/process/boxes.ts'
import { tempFolder } from '../cli/run.ts'
import { inPath } from '../installed.ts'
import { put } from '../skills/folders.ts'

const MISSING = `The tests of the box need bubblewrap. Install it ('apt-get install bubblewrap', 'dnf install bubblewrap'). NO_BOX=1 leaves these tests out.`

/** What makes boxes on this machine; where nothing can, the reason is printed and the tests are left out. */
export function makerForTests(): BoxMaker {
  if (process.env['NO_BOX'] === '1') return { kind: 'none', because: 'NO_BOX=1' }
  if (process.platform === 'linux' && inPath('bwrap') === undefined) throw new Error(MISSING)
  const maker = boxMaker(process.env['PATH'] ?? '')
  if (maker.kind === 'none') console.log(`Tests of the box are left out: ${maker.because}`)
  return maker
}

/**
 * A bubblewrap whose boxes do not end with it, as a program in one can bring about. Its folder, for PATH.
 */
export function lastingBubblewrap(): string {
  const file = put(
    join(tempFolder(), 'bwrap'),
    `#!/bin/sh\nfor word; do shift; [ "$word" = --die-with-parent ] || set -- "$@" "$word"; done\nexec ${inPath('bwrap')} "$@"\n`,
  )
  chmodSync(file, 0o755)
  return dirname(file)
}

/** How many processes of this machine were started with this word. They end with the test at the latest. */
export function startedWith(word: string): number {
  onTestFinished(() => {
    for (const pid of pidsWith(word)) process.kill(pid, 'SIGKILL')
  })
  return pidsWith(word).length
}

function pidsWith(word: string): readonly number[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const isOne =
        /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'latin1').split('\0').includes(word)
      return isOne ? [Number(name)] : []
    } catch {
      return []
    }
  })
}
