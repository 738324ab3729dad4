import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { isWithoutBrowser } from './chromium.ts'
import { lookAt, pageStage, serve, settled, shot } from './stage.ts'

const QUESTION = 'What is the plan again?'
const END_OF_ANSWER = 'Shall I put the check-in on your list?'

function box(page: Page): Locator {
  return page.getByPlaceholder('Message, or / for commands')
}

async function say(page: Page, text: string): Promise<void> {
  await box(page).fill(text)
  await box(page).press('Enter')
}

describe.skipIf(isWithoutBrowser)('the page', () => {
  const stage = pageStage('story')

  test('[PAGE3] in two tabs shows the same, over one connection', async () => {
    const context = await stage.newContext()
    let streams = 0
    context.on('request', (request) => {
      if (new URL(request.url()).pathname === '/api/stream') streams++
    })
    const [one, other] = [
      await lookAt(context, `${stage.served.url}/chat/main`),
      await lookAt(context, `${stage.served.url}/chat/main`),
    ]
    await Promise.all([settled(one.page), settled(other.page)])
    const question = `${QUESTION} (in two tabs)`
    await say(one.page, question)
    for (const { page } of [one, other]) {
      await page.getByText(question).first().waitFor()
      await page.getByText(END_OF_ANSWER).last().waitFor()
    }
    expect(streams).toBe(1)
    // The tab that read the stream goes: the other goes on.
    await one.page.close()
    await say(other.page, 'And now? (alone)')
    await other.page.getByText('And now? (alone)').first().waitFor()
    await expect.poll(() => streams).toBe(2)
    expect([...one.troubles, ...other.troubles]).toEqual([])
  })
})

describe.skipIf(isWithoutBrowser)('[PAGE3] after kill -9', () => {
  const stage = pageStage('story')

  test('the page says that nobody answers, and goes on where it was: once, with nothing lost', async () => {
    const { page, troubles } = await stage.look('/chat/main')
    await settled(page)
    const question = `${QUESTION} (before the end)`
    await say(page, question)
    await page.getByText(question).first().waitFor()
    const { home, port } = stage.served
    await stage.served.kill()
    await page.getByText('Mainstem does not answer').first().waitFor()
    await shot(page, 'offline')
    const again = await serve(home, { port })
    await page.getByText('Mainstem does not answer').first().waitFor({ state: 'hidden' })
    await page.getByText(END_OF_ANSWER).last().waitFor()
    expect(await page.getByText(question, { exact: true }).count()).toBe(1)
    await say(page, 'Still there?')
    await page.getByText('Still there?', { exact: true }).first().waitFor()
    await again.close()
    expect(troubles).toEqual([])
  })
})
