import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isWithoutBrowser } from './chromium.ts'
import { pageStage, serve, shot } from './stage.ts'

const END_OF_ANSWER = 'Shall I put the check-in on your list?'

const field = (page: Page) => page.getByRole('combobox', { name: /^Message to/ })
const row = (page: Page, kind: string, text: string) =>
  page.locator(`[data-position][data-kind="${kind}"]`).filter({ hasText: text })

async function send(page: Page, text: string): Promise<void> {
  await field(page).fill(text)
  await field(page).press('Enter')
}

describe.skipIf(isWithoutBrowser)('the chat', () => {
  const story = pageStage('story')

  test('[PAGE3] in two tabs shows the same, while it is written and after, over one connection', async () => {
    const context = await story.newContext()
    let streams = 0
    context.on('request', (request) => {
      if (new URL(request.url()).pathname === '/api/stream') streams++
    })
    const one = await story.look('/chat', { context })
    const other = await story.look('/chat', { context })
    await send(one.page, 'When does the night ferry leave?')
    for (const { page } of [one, other]) {
      await row(page, 'said', 'When does the night ferry leave?').waitFor()
      await page.locator('[data-live]').filter({ hasText: 'Here is what I know' }).waitFor()
    }
    for (const { page } of [one, other]) await row(page, 'answer', END_OF_ANSWER).last().waitFor()
    expect(await row(one.page, 'said', 'When does the night ferry leave?').count()).toBe(1)
    expect(streams).toBe(1)
    // The tab that read the stream goes: the other goes on.
    await one.page.close()
    await send(other.page, 'And now, alone?')
    await row(other.page, 'said', 'And now, alone?').waitFor()
    await expect.poll(() => streams).toBe(2)
    expect([...one.troubles, ...other.troubles]).toEqual([])
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
      .getByText(/^rewound · \d+ messages the model no longer sees/)
      .last()
      .waitFor()
    await row(page, 'cleared', 'rewound').getByRole('button', { name: 'Undo' }).press('Enter')
    await row(page, 'changed', 'last change undone').last().getByRole('button', { name: 'Redo' }).waitFor()
    await row(page, 'cleared', 'rewound').getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
    expect(troubles).toEqual([])
  })

  test('pages backwards without moving what is read, and keeps a draft', async () => {
    const { page } = await story.look('/chat')
    await field(page).waitFor()
    await field(page).fill('not yet sent')
    const log = page.getByRole('log')
    const oldest = page.locator('[data-position]').first()
    const before = Number(await oldest.getAttribute('data-position'))
    const seen = row(page, 'said', 'I think I prefer cabins with a window.')
    await log.evaluate((box) =>
      (box as unknown as { scrollTo(x: number, y: number): void }).scrollTo(0, -99_999),
    )
    // Rows have their own heights only once they were in sight.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    const top = (await seen.boundingBox())?.y
    await expect.poll(async () => Number(await oldest.getAttribute('data-position'))).toBeLessThan(before)
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
  const copy = pageStage('copy')

  test('[PAGE3] says so, keeps what is typed meanwhile, and goes on: everything once, nothing lost', async () => {
    const { page, troubles } = await copy.look('/chat')
    await send(page, 'What is the plan again?')
    await row(page, 'said', 'What is the plan again?').waitFor()
    const live = page.locator('[data-live]')
    await live.getByText('The train').waitFor()
    const { home, port } = copy.served
    await copy.served.kill()
    const notice = page.getByText('Mainstem does not answer').first()
    await notice.waitFor()
    await send(page, 'Are you still there?')
    const unsent = page.locator('article').filter({ hasText: 'waiting for the server' })
    await unsent.getByText('Are you still there?').waitFor()
    await shot(page, 'chat-gone')
    const next = await serve(home, { port, pace: 40 })
    onTestFinished(() => next.close())
    await notice.waitFor({ state: 'hidden' })
    // The turn begins its answer again: what the dead server had said is not part of it.
    await live.getByText('The ferry leaves').waitFor()
    expect((await live.innerText()).match(/The train leaves/g)).toHaveLength(1)
    await row(page, 'said', 'Are you still there?').waitFor()
    await unsent.waitFor({ state: 'detached' })
    await row(page, 'answer', END_OF_ANSWER).nth(1).waitFor()
    await page.reload()
    for (const text of ['What is the plan again?', 'Are you still there?']) {
      await row(page, 'said', text).first().waitFor()
      expect(await row(page, 'said', text).count()).toBe(1)
    }
    expect(troubles).toEqual([])
  })
})
