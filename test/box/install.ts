import { inPath, install, mayInstall } from '../installed.ts'

/** Installs bubblewrap before any test starts, where it may: programs are in a box in all tests, or in none. */
export default function installBubblewrap(): void {
  const isWanted = process.platform === 'linux' && process.env['NO_BOX'] !== '1'
  if (isWanted && inPath('bwrap') === undefined && mayInstall())
    install('bubblewrap', 'bubblewrap for the tests of the box')
}
