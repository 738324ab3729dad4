import type { BoxMaker } from '../../src/tool/process/box.ts'
import { boxMaker } from '../../src/tool/process/boxes.ts'
import { inPath } from '../installed.ts'

const MISSING = `The tests of the box need bubblewrap. Install it ('apt-get install bubblewrap', 'dnf install bubblewrap'). NO_BOX=1 leaves these tests out.`

/** What makes boxes on this machine; where nothing can, the reason is printed and the tests are left out. */
export function makerForTests(): BoxMaker {
  if (process.env['NO_BOX'] === '1') return { kind: 'none', because: 'NO_BOX=1' }
  if (process.platform === 'linux' && inPath('bwrap') === undefined) throw new Error(MISSING)
  const maker = boxMaker(process.env['PATH'] ?? '')
  if (maker.kind === 'none') console.log(`Tests of the box are left out: ${maker.because}`)
  return maker
}
