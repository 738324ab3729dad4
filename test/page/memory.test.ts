import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { isWithoutBrowser } from './chromium.ts'
import { expectFits, go, pageStage, pressTwice, shot } from './stage.ts'

describe.skipIf(isWithoutBrowser)('memory and settings', () => {
  const story = pageStage('story')
  const memoryFile = (): string => join(story.served.home, 'workspace', 'memory.md')

  test('memory is searched while somebody types: typos repaired, words marked, each hit in its surroundings', async () => {
    const { page, troubles } = await story.look('/memory')
    await page.getByRole('searchbox').pressSequentially('fery genoa')
    await page.getByText('Looked for “ferry” instead of “fery”.').waitFor()
    const hits = page.locator('ol').first().getByRole('button')
    const hit = hits.filter({ hasText: 'leaves Genoa at 22:30 on Saturdays' })
    await expect.poll(() => hit.locator('mark').allTextContents()).toEqual(['ferry', 'Genoa'])
    expect(await hit.textContent()).toMatch(/words .*ferry.* \d\.\d\d · meaning \d\.\d\d/)
    await hit.click()
    const around = page.getByRole('region', { name: 'Around the chosen hit' })
    await around.locator('[data-hit=true]', { hasText: 'leaves Genoa' }).waitFor()
    expect(await around.getByRole('listitem').count()).toBeGreaterThan(3)
    const [chat, prompt] = [around.getByText('Open in chat'), around.getByText('What the model saw then')]
    expect(await chat.getAttribute('href')).toMatch(/^\/chat\/\w+\?at=\d+$/)
    expect(await prompt.getAttribute('href')).toMatch(/^\/context\/\w+\/\d+$/)
    await shot(page, 'memory-search')
    expect(troubles).toEqual([])
  })

  test('a search is narrowed by what became of messages, and the address keeps that', async () => {
    const { page } = await story.look('/memory?q=ferry')
    await page.getByLabel('Label').selectOption('rewound')
    const labels = page.locator('ol').first().getByText('rewound', { exact: true })
    const hits = page.locator('ol > li > button')
    await expect.poll(() => hits.count()).toBe(2)
    await expect.poll(() => labels.count()).toBe(2)
    expect(new URL(page.url()).searchParams.get('label')).toBe('rewound')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await expect.poll(() => hits.count()).toBeGreaterThan(2)
    // Of a fork, people know the title.
    await hits.filter({ hasText: 'ferry_times Genoa' }).getByText('ferries to Sicily').waitFor()
  })

  test('memory.md is edited as a difference; a change meanwhile is said, and nothing is lost', async () => {
    const { page, troubles } = await story.look('/memory')
    const before = readFileSync(memoryFile(), 'utf8')
    await edit(page, (text) => `${text}- Likes <img src=x onerror=alert(1)> windows\n`)
    await page.getByText('+ - Likes <img').waitFor()
    writeFileSync(memoryFile(), before.replace('# Memory\n', '# Memory\n\n- Written meanwhile\n'))
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText('memory.md has changed').waitFor()
    expect(readFileSync(memoryFile(), 'utf8')).not.toContain('windows')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved. Mainstem sees it from the next turn.').waitFor()
    const after = readFileSync(memoryFile(), 'utf8')
    expect(after).toContain('- Written meanwhile\n')
    expect(after).toContain('- Likes <img src=x onerror=alert(1)> windows\n')
    await page.getByText('Likes <img src=x onerror=alert(1)> windows').waitFor()
    expect(troubles).toEqual([])
  })

  test('a to-do is added, ticked and changed', async () => {
    const { page, troubles } = await story.look('/memory')
    await page.getByRole('textbox', { name: 'To-do' }).fill('Pack <b>the</b> bags')
    await page.getByRole('textbox', { name: 'Due' }).fill('2026-11-20 18:00')
    await page.getByRole('button', { name: 'Add' }).click()
    const row = page.getByRole('listitem').filter({ hasText: 'Pack <b>the</b> bags' })
    await row.getByText('Fri 20 Nov 18:00').waitFor()
    await row.getByRole('button', { name: /^Edit/ }).click()
    await page.getByRole('textbox', { name: 'To-do' }).first().fill('Pack the large bag')
    await page.getByRole('button', { name: 'Save' }).click()
    const changed = page.getByRole('listitem').filter({ hasText: 'Pack the large bag' })
    await changed.getByRole('checkbox').click()
    await expect
      .poll(() => readFileSync(join(story.served.home, 'workspace', 'todo.md'), 'utf8'))
      .toContain('- [x] Pack the large bag (due 2026-11-20 18:00)')
    await page.getByRole('button', { name: /^\d+ done$/ }).click()
    await changed.getByRole('checkbox').click()
    await changed.getByRole('button', { name: /^Edit/ }).click()
    await page.getByRole('textbox', { name: 'Due' }).first().fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => changed.textContent()).not.toContain('20 Nov')
    expect(troubles).toEqual([])
  })

  test('a setting is found, changed with its errors, and set back', async () => {
    const { page, troubles } = await story.look('/settings/all')
    await page.getByRole('searchbox').fill('RECALL_LIMIT')
    await page.getByRole('button', { name: /recallLimit/ }).click()
    const field = page.getByRole('textbox', { name: 'recallLimit' })
    await field.fill('many')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText("recallLimit cannot be 'many'. Write a whole number from 0 to 50.").waitFor()
    await field.fill('7')
    await field.press('Enter')
    await page.getByText('recallLimit is now 7').waitFor()
    expect(readFileSync(join(story.served.home, 'config.json'), 'utf8')).toContain('"recallLimit": 7')
    await page.getByRole('button', { name: 'Reset to default' }).click()
    await page.getByText('recallLimit is now 5').waitFor()
    expect(troubles).toEqual([])
  })

  test('[PAGE4] a key can be set and is not shown; what starts programs is for the terminal', async () => {
    const { page } = await story.look('/settings/all?q=keys.openai')
    await page.getByRole('button', { name: /keys.openai/ }).click()
    await page.getByLabel('keys.openai', { exact: true }).fill('sk-0123456789-never-shown')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('keys.openai is now set').waitFor()
    expect(await page.content()).not.toContain('never-shown')
    await page.getByRole('searchbox').fill('transcriber.program')
    await page.getByRole('button', { name: /transcriber.program/ }).click()
    await page.getByText('mainstem config set transcriber.program VALUE').waitFor()
  })

  test('a model is tested, people are unlinked, another browser is signed out', async () => {
    const { page, troubles } = await story.look('/settings/models')
    const offline = page.getByRole('listitem').filter({ hasText: 'a few fixed rules' })
    await offline.getByRole('button', { name: 'Test' }).click()
    await offline.getByText(/^Answered in/).waitFor()
    await page.getByRole('link', { name: 'Channels and people' }).click()
    // Who is the owner is said in a terminal (RIGHT1).
    await page.getByText(/^mainstem pair approve [A-Z2-9]{4}-[A-Z2-9]{4} me$/).waitFor()
    const mira = page.getByRole('listitem').filter({ hasText: 'Mira' })
    const sure = mira.getByRole('button', { name: 'Really remove Mira?' })
    await pressTwice(mira.getByRole('button', { name: 'Remove', exact: true }), sure)
    await mira.waitFor({ state: 'detached' })
    const other = await story.look('/settings/browsers', { context: await story.newContext() })
    await other.page.getByText('this one').waitFor()
    await page.getByRole('link', { name: 'Browsers' }).click()
    const rows = page.getByRole('listitem').filter({ hasText: 'Sign out' }).filter({ hasNotText: 'this one' })
    await rows.first().waitFor()
    const count = await rows.count()
    await pressTwice(
      rows.first().getByRole('button'),
      page.getByRole('button', { name: 'Really sign it out?' }),
    )
    await expect.poll(() => rows.count()).toBe(count - 1)
    await other.page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(troubles).toEqual([])
  })

  test('a phone has room for the surroundings of a hit, and for every section of the settings', async () => {
    const { page, troubles } = await story.look('/memory?q=ferry', { width: 360 })
    await page.getByRole('button', { name: /Which insurer pays/ }).click()
    await page.getByText('What the model saw then').waitFor()
    await expectFits(page)
    for (const section of ['models', 'people', 'tools', 'browsers', 'storage', 'all']) {
      await go(page, `/settings/${section}`)
      await expectFits(page)
      await shot(page, `settings-${section}-360`)
    }
    expect(troubles).toEqual([])
  })
})

async function edit(page: Page, change: (text: string) => string): Promise<void> {
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const field = page.getByLabel('memory.md')
  await field.fill(change(await field.inputValue()))
}
