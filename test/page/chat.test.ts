import { rmSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isWithoutBrowser, theBrowser } from './chromium.ts'
import { lookAt, pageStage, serve, shot, signIn, storyHome } from './stage.ts'

const field = (page: Page) => page.getByRole('combobox', { name: /^Message to/ })
const row = (page: Page, kind: string, text: string) =>
  page.locator(`[data-position][data-kind="${kind}"]`).filter({ hasText: text })

async function send(page: Page, text: string): Promise<void> {
  await field(page).fill(text)
  await field(page).press('Enter')
}

describe.skipIf(isWithoutBrowser)('the chat', () => {
  const story = pageStage('story')

  test('[PAGE3] shows a question and its answer in every tab, while it is written and after', async () => {
    const context = await story.newContext()
    const { page, troubles } = await story.look('/chat', { context })
    const other = await story.look('/chat', { context })
    await send(page, 'When does the night ferry leave?')
    for (const tab of [page, other.page]) {
      await row(tab, 'said', 'When does the night ferry leave?').waitFor()
      await tab.locator('[data-live]').filter({ hasText: 'Here is what I know' }).waitFor()
    }
    for (const tab of [page, other.page])
      await row(tab, 'answer', 'Shall I put the check-in on your list?').last().waitFor()
    expect(await row(page, 'said', 'When does the night ferry leave?').count()).toBe(1)
    expect([...troubles, ...other.troubles]).toEqual([])
  })

  test('marks, forks and rewinds at a message by keyboard alone, and undoes it', async () => {
    const { page, troubles } = await story.look('/chat')
    await field(page).waitFor()
    const message = row(page, 'said', 'I think I prefer cabins with a window.')
    const choose = async (name: string): Promise<void> => {
      await message.getByRole('button', { name: 'What to do with this message' }).focus()
      await page.keyboard.press('Enter')
      const item = page.getByRole('menuitem', { name })
      await item.focus()
      await page.keyboard.press('Enter')
    }
    await choose('Mark here…')
    await page.getByRole('textbox', { name: 'Name of the mark' }).waitFor()
    await page.keyboard.type('WINDOW')
    await page.keyboard.press('Enter')
    await row(page, 'mark', 'WINDOW').waitFor()
    await choose('Fork from here')
    await page.waitForURL(/\/chat\/\w+$/)
    await page.getByText('Main does not see what is said in this fork.').waitFor()
    await page.getByRole('button', { name: 'Drop' }).click()
    await page.waitForURL(/\/chat$/)
    await choose('Rewind to here')
    await row(page, 'cleared', 'rewound to an earlier message').waitFor()
    await page
      .getByText(/^rewound · \d+ messages the model does not see any more/)
      .last()
      .waitFor()
    await row(page, 'cleared', 'rewound').getByRole('button', { name: 'Undo' }).press('Enter')
    await row(page, 'changed', 'last change undone').last().waitFor()
    await row(page, 'cleared', 'rewound').getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
    expect(troubles).toEqual([])
  })

  test('pages backwards without moving what is read, and keeps a draft', async () => {
    const { page } = await story.look('/chat')
    await field(page).waitFor()
    await field(page).fill('not yet sent')
    const log = page.getByRole('log')
    const oldest = page.locator('[data-position]').first()
    const before = await oldest.getAttribute('data-position')
    await log.evaluate((box) =>
      (box as unknown as { scrollTo(x: number, y: number): void }).scrollTo(0, -99_999),
    )
    const seen = page.locator(`[data-position="${before}"]`)
    const top = (await seen.boundingBox())?.y
    await expect
      .poll(async () => Number(await oldest.getAttribute('data-position')))
      .toBeLessThan(Number(before))
    expect(Math.abs(((await seen.boundingBox())?.y ?? 0) - (top ?? 0))).toBeLessThan(3)
    await page.reload()
    await expect.poll(() => field(page).inputValue()).toBe('not yet sent')
  })

  test('completes commands, and sends a file that was attached', async () => {
    const { page, troubles } = await story.look('/chat')
    await field(page).waitFor()
    await field(page).fill('/cont')
    await page.getByRole('option', { name: /\/context/ }).waitFor()
    await field(page).press('Tab')
    await expect.poll(() => field(page).inputValue()).toBe('/context')
    await field(page).press('Enter')
    await row(page, 'command', '/context').waitFor()
    const name = '<img src=x onerror=alert(1)>.txt'
    await page
      .locator('input[type=file]')
      .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('hi') })
    await page.getByText('2 bytes', { exact: true }).waitFor()
    await send(page, 'Look at this.')
    await row(page, 'said', 'Look at this.').getByRole('link').waitFor()
    expect(troubles).toEqual([])
  })
})

describe.skipIf(isWithoutBrowser)('the chat, when the server dies', () => {
  test('[PAGE3] keeps what is typed meanwhile, and sends it once when the server is back', async () => {
    const home = await storyHome()
    const stage = await serve(home)
    const context = await (await theBrowser()).newContext()
    onTestFinished(async () => {
      await context.close()
      rmSync(home, { recursive: true, force: true, maxRetries: 20 })
    })
    await signIn(context, stage)
    const { page } = await lookAt(context, `${stage.url}/chat`)
    await field(page).waitFor()
    await stage.kill()
    await send(page, 'Are you still there?')
    const unsent = page.locator('article').filter({ hasText: 'waiting for the server' })
    await unsent.getByText('Are you still there?').waitFor()
    await shot(page, 'chat-gone')
    const next = await serve(home, { port: stage.port })
    onTestFinished(() => next.close())
    await row(page, 'said', 'Are you still there?').waitFor()
    await unsent.waitFor({ state: 'detached' })
    await page.reload()
    await row(page, 'said', 'Are you still there?').first().waitFor()
    expect(await row(page, 'said', 'Are you still there?').count()).toBe(1)
  })
})
