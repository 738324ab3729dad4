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
import { DatabaseSync } from 'node:sqlite'
import type { BrowserContext, Locator, Page, Request } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFailed, onTestFinished } from 'vitest'
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
  /** Removes the home too. */
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
  readonly context?: BrowserContext
}

interface Stage {
  readonly served: Served
  /** A signed-in tab at this address. The next test gets the same tab: a new one loads four times as slowly. */
  look(path: string, options?: LookOptions): Promise<Look>
  /** A browser of its own, signed in; its tabs share a session. */
  newContext(): Promise<BrowserContext>
}

/** A server with the browsers that are signed in there, by kind. */
interface World {
  readonly served: Served
  readonly devices: Map<'desk' | 'phone', Promise<Device>>
}

interface Device {
  readonly context: BrowserContext
  /** Tabs that no test uses. */
  readonly free: Page[]
}

/** The story, served once for all tests of this process. It ends with the process. */
let story: Promise<World> | undefined

/** A server for the tests of a file: the shared one, one with a copy of the story, or one with a new home that may be filled first. */
export function pageStage(kind: 'story' | 'copy' | 'empty', fill?: (home: string) => Promise<void>): Stage {
  let world: World | undefined
  const open = async (): Promise<World> => {
    const home = kind === 'empty' ? emptyHome() : await storyHome()
    await fill?.(home)
    return { served: await serve(home), devices: new Map() }
  }
  const theWorld = (): World => {
    if (world === undefined) throw new Error('nobody serves')
    return world
  }
  beforeAll(async () => {
    if (!isWithoutBrowser) world = await (kind === 'story' ? (story ??= open()) : open())
  })
  afterAll(async () => {
    if (kind === 'story' || world === undefined) return
    for (const device of world.devices.values()) await (await device).context.close()
    await world.served.close()
  })
  return {
    get served() {
      return theWorld().served
    },
    newContext: async () => {
      const { context, free } = await signedIn(theWorld().served, {})
      onTestFinished(() => context.close())
      await free[0]?.close()
      return context
    },
    look: async (path, options = {}) => {
      const page = await (options.context?.newPage() ?? freeTab(theWorld(), options))
      const { url } = theWorld().served
      const troubles = troublesOf(page, new URL(url).host)
      tellOnFailure(page)
      await page.goto(`${url}${path}`)
      return { page, troubles }
    },
  }
}

async function freeTab({ served, devices }: World, options: LookOptions): Promise<Page> {
  const { width = 1280 } = options
  const kind = width < 720 ? 'phone' : 'desk'
  const device = devices.get(kind) ?? signedIn(served, options)
  devices.set(kind, device)
  const { context, free } = await device
  const page = free.pop() ?? (await context.newPage())
  onTestFinished(async () => {
    page.removeAllListeners()
    await page.evaluate('localStorage.clear(); sessionStorage.clear()')
    free.push(page)
  })
  await page.setViewportSize({ width, height: heightFor(width) })
  await page.emulateMedia({ colorScheme: 'light' })
  return page
}

async function signedIn(served: Served, { width = 1280 }: LookOptions): Promise<Device> {
  const browser = await theBrowser()
  const context = await browser.newContext({
    viewport: { width, height: heightFor(width) },
    reducedMotion: 'reduce',
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
    hasTouch: width < 720,
  })
  // Only what hangs is to fail.
  context.setDefaultTimeout(300_000)
  await context.addInitScript(
    `addEventListener('securitypolicyviolation', (event) => console.error('refused by the policy: ' + event.blockedURI))`,
  )
  const page = await context.newPage()
  await page.goto(await served.link())
  await page.getByRole('navigation', { name: 'Views' }).waitFor()
  return { context, free: [page] }
}

function heightFor(width: number): number {
  return width < 720 ? 740 : 800
}

/** Goes to another address as a link does, without loading the page again. */
export async function go(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', '${path}'); dispatchEvent(new PopStateEvent('popstate'))`)
  await settled(page)
}

/** Everything of the view has been read. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('main').waitFor()
  await page.getByText('Loading…', { exact: true }).first().waitFor({ state: 'hidden' })
}

/** It is loaded when it is opened first. */
/** No longer than such a question stands. */
const QUESTION_MS = 4_000

/** Presses a button that asks once more, and answers. On a slow machine its question may be over when it is pressed. */
export async function pressTwice(button: Locator, sure: Locator): Promise<void> {
  for (let isDone = false; !isDone;) {
    if (!(await sure.isVisible())) await button.click()
    isDone = await sure.click({ timeout: QUESTION_MS }).then(
      async () => !(await sure.isVisible()),
      () => false,
    )
  }
}

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

/** What a tab showed in which somebody waited in vain, and what it had asked for. */
function tellOnFailure(page: Page): void {
  const open = new Set<string>()
  const over = (request: Request): unknown => open.delete(request.url())
  page.on('request', (request) => open.add(request.url()))
  page.on('requestfinished', over).on('requestfailed', over)
  onTestFailed(async () => {
    const shown = await page.evaluate<string>('document.body.innerText').catch(String)
    console.error(`${page.url()} shows:\n${shown}\nNot answered yet:\n${[...open].join('\n')}`)
  })
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
  const args = [STORY, home, '--empty', '--lent', '--serve', String(port), '--pace', String(pace)]
  const child = spawn(process.execPath, ['--no-warnings', ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  const taken = await portOf(child)
  const ended = once(child, 'close')
  return {
    home,
    port: taken,
    url: `http://localhost:${taken}`,
    link: async () => {
      const client = new OwnerClient(makeSocketPath(home, {}), 'terminal')
      const { url } = await client.call<{ url: string }>('POST', '/api/links')
      client.close()
      return url
    },
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
    close: async () => {
      child.stdin.end()
      await ended
    },
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
  mkdirSync(join(root, 'build/story'), { recursive: true })
  // One process tells it, others wait. The lock of one that dies goes with it.
  using lock = new DatabaseSync(`${told}.lock`, { timeout: 600_000 })
  lock.exec('BEGIN EXCLUSIVE')
  if (existsSync(told)) return told
  const telling = emptyHome()
  const child = spawn(process.execPath, ['--no-warnings', STORY, telling], { stdio: 'inherit' })
  const [code] = (await once(child, 'close')) as [number | null]
  expect(code, 'the story is told').toBe(0)
  cpSync(telling, `${told}.copy`, { recursive: true })
  renameSync(`${told}.copy`, told)
  rmSync(telling, { recursive: true, force: true, maxRetries: 20 })
  return told
}
