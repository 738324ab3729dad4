import { chromium, type Browser } from 'playwright-core'
import { inPath, install, isProgram, mayInstall } from '../installed.ts'

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
  if (!mayInstall()) throw new Error(MISSING)
  install('chromium', 'Chromium for the tests of the page')
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
