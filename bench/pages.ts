import { stopwatchMs } from '../src/base/clock.ts'
import type { OwnerClient } from '../src/client/socket.ts'
import { newBrowser } from '../test/page/chromium.ts'
import type { Data } from './data.ts'
import { share } from './measure.ts'
import { atMost, type Measure } from './report.ts'
import { pageMeasures, withYears } from './river.ts'

const PAGES = 100
const OPENED = 10
const FIRST_VIEW_MS_MAX = 1_000
/** Each with a test for something that stands only where it was read. */
const VIEWS = [
  {
    path: '/chat',
    view: 'the chat',
    shown: "/ferry|cabin|Genoa/.test(document.querySelector('main')?.innerText)",
  },
  { path: '/river', view: 'the river', shown: "document.querySelector('main [role=option]') !== null" },
] as const

/** How soon the page shows something of a log of a million messages, and how long its pages take. */
export async function measurePages(data: Data): Promise<Measure[]> {
  return withYears(data, async ({ client, name }) => [
    ...(await measureReading(client, '/api/messages', name)),
    ...(await measureReading(client, '/api/timeline', name)),
    ...(await measureFirstViews(client, name)),
  ])
}

/** Walks back from the newest to the oldest in great steps. */
async function measureReading(client: OwnerClient, path: string, name: string): Promise<Measure[]> {
  const times: number[] = []
  for (let n = 0, before = ''; n <= PAGES; n++) {
    const began = stopwatchMs()
    const page = await client.call<Paged>('GET', `${path}?limit=50${before}`)
    if (n > 0) times.push(stopwatchMs() - began)
    const oldest = (page.messages ?? page.entries)?.[0]?.position ?? 0
    before = oldest > 1_000 ? `&before=${Math.floor(oldest * 0.95)}` : ''
  }
  return pageMeasures('pages', `a page of ${path}, ${name}`, times)
}

interface Paged {
  readonly messages?: readonly { readonly position: number }[]
  readonly entries?: readonly { readonly position: number }[]
}

/** In a tab that was just opened, of somebody who signed in before. */
async function measureFirstViews(client: OwnerClient, name: string): Promise<Measure[]> {
  const { url } = await client.call<{ url: string }>('POST', '/api/links')
  await using browser = await newBrowser()
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 } })
  const first = await context.newPage()
  await first.goto(url)
  await first.getByRole('navigation', { name: 'Views' }).waitFor()
  await first.close()
  const measures: Measure[] = []
  for (const { path, view, shown } of VIEWS) {
    const times: number[] = []
    for (let n = 0; n <= OPENED; n++) {
      const page = await context.newPage()
      const began = stopwatchMs()
      await page.goto(new URL(path, url).href, { waitUntil: 'commit' })
      await page.evaluate(frameWith(shown))
      if (n > 0) times.push(stopwatchMs() - began)
      await page.close()
    }
    measures.push({
      group: 'pages',
      measure: `from the address to ${view}, ${name}, in Chromium`,
      value: share(times, 0.5),
      unit: 'ms',
      goal: atMost(FIRST_VIEW_MS_MAX, 'value'),
    })
  }
  return measures
}

/** Ends with the first frame that shows it. Playwright's own waiting looks up to half a second later. */
function frameWith(shown: string): string {
  return `new Promise((shown) => {
    const look = () => (${shown} ? shown() : requestAnimationFrame(look))
    look()
  })`
}
