/**
 * Takes the pictures of the page that README and guides show, from the home of the story: `node scripts/page-shots.ts`,
 * or with the names of some of them.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Page } from 'playwright-core'
import { theBrowser } from '../test/page/chromium.ts'

interface Picture {
  readonly name: string
  readonly path: string
  readonly theme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
  readonly act?: (page: Page) => Promise<unknown>
}

const pictures: readonly Picture[] = [
  { name: 'chat', path: '/chat/main', act: upwards },
  { name: 'chat-phone', path: '/chat/main', width: 360, height: 720 },
  { name: 'context', path: '/context/main/42' },
  { name: 'context-rewound', path: '/context/main/43' },
  { name: 'context-compacted', path: '/context/main/47' },
  { name: 'river', path: '/river', theme: 'dark' },
  { name: 'river-year', path: '/river', act: (page) => page.getByRole('button', { name: 'Year' }).click() },
  { name: 'background', path: '/background' },
  { name: 'memory', path: '/memory?q=ferry' },
  { name: 'tasks', path: '/tasks', height: 420 },
  { name: 'settings', path: '/settings/models', theme: 'dark' },
  { name: 'cost', path: '/cost' },
]

const root = join(import.meta.dirname, '..')
const folder = join(root, 'docs/pictures')

/** Past what was asked last, to what was said. */
async function upwards(page: Page): Promise<void> {
  await page.mouse.move(800, 400)
  await page.mouse.wheel(0, -700)
}

async function main(wanted: readonly string[]): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'mainstem-shots-'))
  mkdirSync(folder, { recursive: true })
  const serving = spawn(process.execPath, ['--no-warnings', 'scripts/page-story.ts', home, '--serve', '0'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const url = await addressOf(createInterface({ input: serving.stdout }))
    for (const picture of pictures)
      if (wanted.length === 0 || wanted.includes(picture.name)) await take(picture, { home, url })
  } finally {
    serving.kill()
    rmSync(home, { recursive: true, force: true, maxRetries: 20 })
    await (await theBrowser()).close()
  }
}

async function addressOf(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const [, port] = /Ready at http:\/\/[^:]+:(\d+)/.exec(line) ?? []
    if (port !== undefined) return `http://localhost:${port}`
  }
  throw new Error('the story is not served')
}

async function take(picture: Picture, { home, url }: { readonly home: string; readonly url: string }) {
  const { name, path, theme = 'light', width = 1280, height = 800, act } = picture
  const context = await (
    await theBrowser()
  ).newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
  })
  const page = await context.newPage()
  const env = { ...process.env, MAINSTEM_HOME: home }
  const opened = execFileSync(process.execPath, ['bin/mainstem.js', 'open'], {
    cwd: root,
    env,
    encoding: 'utf8',
  })
  await page.goto(/http\S+/.exec(opened)?.[0] ?? '')
  await page.getByRole('navigation', { name: 'Views' }).waitFor()
  await page.goto(`${url}${path}`)
  await page.getByRole('main').waitFor()
  await page.getByText('Loading…', { exact: true }).first().waitFor({ state: 'hidden' })
  await act?.(page)
  // Pictures of what has come to rest.
  await page.waitForTimeout(1_500)
  await page.screenshot({ path: join(folder, `${name}.png`) })
  await context.close()
  console.log(`docs/pictures/${name}.png`)
}

await main(process.argv.slice(2))
