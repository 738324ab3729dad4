import { spawn, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { OwnerClient } from '../../src/client/socket.ts'
import { makeSocketPath } from '../../src/owner/owner-file.ts'
import { isWithoutBrowser, theBrowser } from './chromium.ts'

const root = join(import.meta.dirname, '../..')
const STORY = join(root, 'scripts/page-story.ts')
export const SHOTS = join(root, 'build/shots')

export interface Served {
  readonly home: string
  readonly port: number
  readonly url: string
  /** Signs in one browser, once. */
  link(): Promise<string>
  /** As a power cut does. */
  kill(): Promise<void>
  close(): Promise<void>
}

/** What somebody looks at, and what went wrong while they did. */
export interface Look {
  readonly page: Page
  /** Bugs, refused loads and requests that left for elsewhere; empty if all is well. */
  readonly troubles: string[]
}

interface LookOptions {
  readonly width?: number
  readonly theme?: 'light' | 'dark'
  readonly context?: BrowserContext
}

interface Stage {
  readonly served: Served
  /** A signed-in tab at this address. */
  look(path: string, options?: LookOptions): Promise<Look>
  /** A browser of its own, signed in; its tabs share a session. */
  newContext(options?: LookOptions): Promise<BrowserContext>
}

/** One server and one browser for all tests of a file: with the home of the story, or a new one that may be filled first. */
export function pageStage(kind: 'story' | 'empty', fill?: (home: string) => Promise<void>): Stage {
  let served: Served | undefined
  const contexts: BrowserContext[] = []
  beforeAll(async () => {
    if (isWithoutBrowser) return
    const [home] = await Promise.all([kind === 'story' ? storyHome() : emptyHome(), theBrowser()])
    await fill?.(home)
    served = await serve(home)
  })
  afterAll(async () => {
    await Promise.all(contexts.map((context) => context.close()))
    await served?.close()
    if (served !== undefined) rmSync(served.home, { recursive: true, force: true, maxRetries: 20 })
  })
  const stage: Stage = {
    get served() {
      if (served === undefined) throw new Error('nobody serves')
      return served
    },
    newContext: async (options = {}) => {
      const context = await newContext(options)
      contexts.push(context)
      await signIn(context, stage.served)
      return context
    },
    look: async (path, options = {}) => {
      const context = options.context ?? (await stage.newContext(options))
      return lookAt(context, `${stage.served.url}${path}`)
    },
  }
  return stage
}

export async function lookAt(context: BrowserContext, url: string): Promise<Look> {
  const page = await context.newPage()
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', (event) => console.error('refused by the policy: ' + event.blockedURI))`,
  )
  const troubles = troublesOf(page, new URL(url).host)
  await page.goto(url)
  return { page, troubles }
}

async function newContext({ width = 1280, theme = 'light' }: LookOptions): Promise<BrowserContext> {
  const browser = await theBrowser()
  const context = await browser.newContext({
    viewport: { width, height: width < 720 ? 740 : 800 },
    colorScheme: theme,
    reducedMotion: 'reduce',
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
    hasTouch: width < 720,
  })
  // Only what hangs is to fail.
  context.setDefaultTimeout(300_000)
  return context
}

export async function signIn(context: BrowserContext, served: Served): Promise<void> {
  const page = await context.newPage()
  await page.goto(await served.link())
  await page.getByRole('navigation', { name: 'Views' }).waitFor()
  await page.close()
}

/** Everything of the view has been read. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('main').waitFor()
  await page.getByText('Loading…', { exact: true }).first().waitFor({ state: 'hidden' })
}

/** It is loaded when it is opened first. */
export async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Find' }).getByRole('combobox').waitFor()
}

function troublesOf(page: Page, host: string): string[] {
  const troubles: string[] = []
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`))
  page.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    const text = message.text()
    if (message.type() === 'error' && !/Failed to load resource|net::ERR_/.test(text)) troubles.push(text)
  })
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (!['data:', 'blob:'].includes(url.protocol) && url.host !== host)
      troubles.push(`request: ${request.url()}`)
  })
  return troubles
}

/** No part of the page is wider than the screen. */
export async function expectFits(page: Page): Promise<void> {
  const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  expect(wide, 'the page scrolls sideways').toBeLessThanOrEqual(0)
}

export async function shot(page: Page, name: string): Promise<void> {
  mkdirSync(SHOTS, { recursive: true })
  await page.screenshot({ path: join(SHOTS, `${name}.png`) })
}

/** `mainstem serve` in a process of its own, with the story's clock and its model. */
export async function serve(home: string, { port = 0, pace = 10 } = {}): Promise<Served> {
  const args = [STORY, home, '--empty', '--serve', String(port), '--pace', String(pace)]
  const child = spawn(process.execPath, ['--no-warnings', ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  process.once('exit', () => child.kill('SIGKILL'))
  const taken = await portOf(child)
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'close')
    child.kill(signal)
    await ended
  }
  return {
    home,
    port: taken,
    url: `http://localhost:${taken}`,
    link: async () => {
      const client = new OwnerClient(makeSocketPath(home, {}))
      const { url } = await client.call<{ url: string }>('POST', '/api/links')
      client.close()
      return url
    },
    kill: () => end('SIGKILL'),
    close: () => end('SIGTERM'),
  }
}

async function portOf({ stdout }: ChildProcess): Promise<number> {
  if (stdout === null) throw new Error('it has an output')
  const lines: string[] = []
  for await (const line of createInterface({ input: stdout })) {
    lines.push(line)
    const [, port] = /Ready at http:\/\/[^:]+:(\d+)/.exec(line) ?? []
    if (port !== undefined) {
      stdout.resume()
      return Number(port)
    }
  }
  throw new Error(`nobody serves: ${lines.join('\n')}`)
}

function emptyHome(): string {
  return mkdtempSync(join(tmpdir(), 'mainstem-page-'))
}

/** A copy of the story. It is told once, and again when it changes: what an older program told still opens (LOG5). */
export async function storyHome(): Promise<string> {
  const home = emptyHome()
  cpSync(await toldStory(), home, { recursive: true })
  return home
}

async function toldStory(): Promise<string> {
  const hash = createHash('sha256')
  for (const file of [STORY, ...globSync(join(root, 'scripts/page-story/*.ts')).toSorted()])
    hash.update(readFileSync(file))
  const told = join(root, 'build/story', hash.digest('hex').slice(0, 16))
  if (existsSync(told)) return told
  mkdirSync(join(root, 'build/story'), { recursive: true })
  const telling = mkdtempSync(join(root, 'build/story/telling-'))
  const child = spawn(process.execPath, ['--no-warnings', STORY, telling], { stdio: 'inherit' })
  const [code] = (await once(child, 'close')) as [number | null]
  expect(code, 'the story is told').toBe(0)
  try {
    renameSync(telling, told)
  } catch {
    // Somebody told it at the same time.
    rmSync(telling, { recursive: true, force: true })
  }
  return told
}
