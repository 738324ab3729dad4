import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { isWithoutBrowser } from './chromium.ts'
import { expectFits, pageStage, settled, shot } from './stage.ts'

const VIEWS = ['chat', 'context', 'river', 'background', 'memory', 'tasks', 'cost', 'settings']
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Finding {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** What a person with a screen reader, a keyboard or weak eyes would stumble over. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(`${axe}; undefined`)
  const found = (await page.evaluate('axe.run().then(({ violations }) => violations)')) as Finding[]
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`))
}

async function walk(page: Page, each: (view: string) => Promise<void>): Promise<void> {
  for (const view of VIEWS) {
    await page.evaluate(
      `history.pushState(null, '', '/${view}'); dispatchEvent(new PopStateEvent('popstate'))`,
    )
    await page.locator(`[data-name=${view}][aria-current]`).waitFor({ state: 'attached' })
    await settled(page)
    await each(view)
  }
}

describe.skipIf(isWithoutBrowser)('every view', () => {
  const story = pageStage('story')

  for (const theme of ['light', 'dark'] as const)
    for (const width of [1280, 360])
      test(`of a life, ${theme}, ${width} px wide, fits and can be used by everybody`, async () => {
        const { page, troubles } = await story.look('/chat', { theme, width })
        await walk(page, async (view) => {
          await expectFits(page)
          await shot(page, `${view}-${theme}-${width}`)
          if (width === 1280) expect.soft(await findings(page), view).toEqual([])
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
