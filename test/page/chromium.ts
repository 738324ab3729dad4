import { execFileSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'

/** Says so, instead of testing: NO_BROWSER=1. */
export const isWithoutBrowser = process.env['NO_BROWSER'] === '1'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']
const MISSING = `The tests of the page need Chromium. Install it ('apt-get install chromium', 'brew install --cask chromium'), or name it: CHROME=/path/to/chromium npm test. NO_BROWSER=1 leaves these tests out.`

let launched: Promise<Browser> | undefined

/** The one browser of this process. It ends with it. */
export function theBrowser(): Promise<Browser> {
  launched ??= newBrowser()
  return launched
}

/** Whoever asked for it closes it. */
export function newBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  })
}

function chromiumPath(): string {
  const found = find()
  if (found !== undefined) return found
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || inPath('apt-get') === undefined)
    throw new Error(MISSING)
  console.log('Installing Chromium for the tests of the page (apt-get install chromium) …')
  const wait = ['-o', 'DPkg::Lock::Timeout=600', '-qq']
  execFileSync('apt-get', [...wait, 'update'], { stdio: 'ignore' })
  execFileSync('apt-get', [...wait, 'install', '-y', '--no-install-recommends', 'chromium'], {
    stdio: 'ignore',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  const installed = find()
  if (installed === undefined) throw new Error(MISSING)
  return installed
}

function find(): string | undefined {
  const named = process.env['CHROME'] ?? process.env['PLAYWRIGHT_CHROMIUM_EXECUTABLE_PATH']
  if (named !== undefined) return named
  const mac = '/Applications/Chromium.app/Contents/MacOS/Chromium'
  const chrome = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'
  return [...NAMES.map(inPath), mac, chrome].find((path) => path !== undefined && isProgram(path))
}

function inPath(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(':')
  return folders.map((folder) => join(folder, name)).find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
