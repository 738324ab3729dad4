import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { isWithoutBrowser } from './chromium.ts'
import { expectFits, pageStage, settled, shot } from './stage.ts'

const part = (page: Page, name: RegExp) => page.getByRole('table').getByRole('button', { name })
const isAt = (page: Page, end: RegExp) => page.waitForURL((url) => end.test(`${url.pathname}${url.search}`))

describe.skipIf(isWithoutBrowser)('what the model saw', () => {
  const story = pageStage('story')

  test('arrows and the slider walk through turns, and the address follows', async () => {
    const { page, troubles } = await story.look('/context/main/44')
    const slider = page.getByRole('slider', { name: 'Turn' })
    await slider.press('ArrowLeft')
    await isAt(page, /\/context\/main\/43$/)
    await slider.press('End')
    await isAt(page, /\/context\/main$/)
    await page.getByRole('heading', { name: 'What the model sees' }).waitFor()
    const box = await slider.boundingBox()
    if (box === null) throw new Error('there is no slider')
    await page.mouse.click(box.x + 1, box.y + box.height / 2)
    await isAt(page, /\/context\/main\/1$/)
    // It has nothing to differ from: its text is shown.
    await page.getByRole('heading', { name: 'Whole text' }).waitFor()
    await page.getByRole('button', { name: 'The next turn' }).click()
    await isAt(page, /\/context\/main\/2$/)
    expect(troubles).toEqual([])
  })

  test('[PAGE1] the browser itself hashes the bytes and finds what the log noted', async () => {
    const { page, troubles } = await story.look('/context/main/44')
    await page.getByRole('button', { name: /exactly what was sent/ }).click()
    await page.getByText('Your browser hashed these bytes').waitFor()
    await shot(page, 'context-raw')
    expect(troubles).toEqual([])
  })

  test('each part opens its text, and each recalled piece says why it is there', async () => {
    const { page, troubles } = await story.look('/context/main/42')
    await part(page, /AGENTS\.md/).click()
    await page
      .getByRole('region', { name: /Text agents/ })
      .getByText('# You', { exact: true })
      .waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: /Difference to turn 41/ }).waitFor()
    await page
      .getByText(/so recall brought it back/)
      .first()
      .waitFor()
    await page.getByText('total', { exact: true }).first().waitFor()
    expect(troubles).toEqual([])
  })

  test('now follows what is said, on a phone too, and commands act', async () => {
    const { page, troubles } = await story.look('/context/main', { width: 360 })
    await settled(page)
    await page.evaluate(
      `fetch('/api/say', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ key: 'context', text: 'What is on today?', branch: 'main' }) })`,
    )
    await page.getByText('being said').waitFor()
    await page.getByText('What is on today?').first().waitFor()
    await expectFits(page)
    await shot(page, 'context-live-360')
    await page.getByText('being said').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Open the newest summary' }).click()
    await page
      .getByRole('table')
      .getByRole('row', { name: /summary.*gone|messages.*\+/ })
      .first()
      .waitFor()
    expect(troubles).toEqual([])
  })

  test('cost is shown by kind of work and by model', async () => {
    const { page, troubles } = await story.look('/cost')
    await page.getByRole('row', { name: /Background runs/ }).waitFor()
    await page.getByRole('button', { name: 'Model' }).click()
    await page.getByRole('row', { name: /claude-sonnet/ }).waitFor()
    await isAt(page, /by=model/)
    expect(troubles).toEqual([])
  })
})
