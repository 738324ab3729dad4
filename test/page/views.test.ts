import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { isWithoutBrowser } from './chromium.ts'
import { expectFits, go, pageStage, settled, shot } from './stage.ts'

const VIEWS = ['chat', 'context', 'river', 'background', 'memory', 'tasks', 'cost', 'settings']
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Finding {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** What a person with a screen reader, a keyboard or weak eyes would stumble over. */
async function findings(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (await page.evaluate('!("axe" in window)')) await page.evaluate(`${axe}; undefined`)
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) })
  const found = (await page.evaluate(`axe.run(${options}).then(({ violations }) => violations)`)) as Finding[]
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`))
}

async function walk(page: Page, each: (view: string) => Promise<void>): Promise<void> {
  for (const view of VIEWS) {
    await go(page, `/${view}`)
    await page.locator(`[data-name=${view}][aria-current]`).waitFor({ state: 'attached' })
    await settled(page)
    await each(view)
  }
}

describe.skipIf(isWithoutBrowser)('every view', () => {
  const story = pageStage('story')

  for (const width of [1280, 360])
    test(`of a life, ${width} px wide, fits and can be used by everybody, light and dark`, async () => {
      const { page, troubles } = await story.look('/chat', { width })
      await walk(page, async (view) => {
        await expectFits(page)
        await shot(page, `${view}-light-${width}`)
        if (width === 1280) expect.soft(await findings(page), view).toEqual([])
        await page.emulateMedia({ colorScheme: 'dark' })
        await shot(page, `${view}-dark-${width}`)
        // The rest is the same in every colour.
        if (width === 1280) expect.soft(await findings(page, ['color-contrast']), view).toEqual([])
        await page.emulateMedia({ colorScheme: 'light' })
      })
      expect(troubles).toEqual([])
    })
})

describe.skipIf(isWithoutBrowser)('every view', () => {
  const empty = pageStage('empty')

  test('of a new home says what would be there', async () => {
    const { page, troubles } = await empty.look('/chat')
    await walk(page, async (view) => {
      await shot(page, `${view}-empty`)
      expect.soft(await findings(page), view).toEqual([])
    })
    expect(troubles).toEqual([])
  })
})
