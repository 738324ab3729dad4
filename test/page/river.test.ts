import { describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { isWithoutBrowser } from './chromium.ts'
import { pageStage } from './stage.ts'

async function drawn(page: Page): Promise<void> {
  await page.getByRole('option').first().waitFor({ state: 'attached' })
}

function optionNamed(page: Page, words: RegExp) {
  return page.getByRole('option').filter({ hasText: words })
}

const WEEK = 7 * 86_400_000 - 1

/** Of the window that an address has. */
function spanOf({ searchParams }: URL): number {
  return Date.parse(searchParams.get('to') ?? '') - Date.parse(searchParams.get('from') ?? '')
}

describe.skipIf(isWithoutBrowser)('the river', () => {
  const story = pageStage('story')

  test('what is drawn is also listed, and keys step through it and open it', async () => {
    const { page, troubles } = await story.look('/river')
    await drawn(page)
    await optionNamed(page, /Fork · ferries to Sicily, \d+ messages, saved/).waitFor({ state: 'attached' })
    for (const words of [
      /Pinged you, Lufthansa/,
      /Mark PLAN/,
      /Rewound to PLAN/,
      /messages summarized/,
      /Mail,/,
    ])
      await optionNamed(page, words).first().waitFor({ state: 'attached' })
    const list = page.getByRole('listbox')
    await list.focus()
    const fork = await optionNamed(page, /ferries to Sicily/).getAttribute('id')
    for (let n = 0; n < 200 && (await list.getAttribute('aria-activedescendant')) !== fork; n++)
      await page.keyboard.press('ArrowDown')
    await page.getByText('Fork · ferries to Sicily', { exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/chat\/\w{6}$/)
    expect(troubles).toEqual([])
  })

  test('it zooms and moves by buttons, keys and wheel, and its address keeps the place', async () => {
    const { page, troubles } = await story.look('/river')
    await drawn(page)
    const list = page.getByRole('listbox')
    await list.focus()
    await page.keyboard.press('+')
    await page.waitForURL((url) => spanOf(url) < WEEK)
    const near = spanOf(new URL(page.url()))
    await page.getByRole('button', { name: 'Zoom in' }).click()
    await page.waitForURL((url) => spanOf(url) < near * 0.9)
    const kept = page.url()
    await page.reload()
    await drawn(page)
    expect(page.url()).toBe(kept)
    await page.getByRole('button', { name: 'Week', exact: true }).click()
    await page.waitForURL((url) => url.search === '')
    await list.hover()
    await page.mouse.wheel(0, -400)
    await page.waitForURL((url) => spanOf(url) < WEEK)
    expect(troubles).toEqual([])
  })
})
