import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isWithoutBrowser } from './chromium.ts'
import { expectFits, pageStage, pressTwice, settled } from './stage.ts'

describe.skipIf(isWithoutBrowser)('the background view', () => {
  const story = pageStage('story')
  const fileOf = (id: string): string => join(story.served.home, 'workspace', 'routines', `${id}.md`)

  test('says why somebody was pinged or not, by decision and by job', async () => {
    const { page, troubles } = await story.look('/background')
    const rows = page.getByRole('row')
    await rows.filter({ hasText: 'sent' }).first().waitFor()
    await page.getByRole('button', { name: 'refused' }).click()
    await rows.filter({ hasText: 'quiet hours · until 07:00 · told to main instead' }).first().waitFor()
    await rows.filter({ hasText: 'within the budget' }).first().waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?decision=refused')
    await page.getByRole('button', { name: 'all', exact: true }).click()
    await page.getByLabel('job').selectOption('webhook smoke')
    await rows.filter({ hasText: 'critical · outside the budget' }).waitFor()
    await rows.filter({ hasText: 'routine' }).first().waitFor({ state: 'detached' })
    expect(troubles).toEqual([])
  })

  test('[PAGE1] a routine that is made, edited and deleted here is a file, and a job within seconds', async () => {
    const { page, troubles } = await story.look('/background')
    await page.getByRole('button', { name: 'New job' }).click()
    await page.getByLabel('Name').fill('Evening walk')
    await page.getByLabel('When').fill('someday')
    await page.getByText('Could not read this as a schedule.').waitFor()
    await page.getByLabel('When').fill('weekdays at 6pm')
    await page.getByLabel('What to do').fill('Ask me whether I went for a walk.')
    const times = page.getByRole('list', { name: 'Next times' }).getByRole('listitem')
    await times.nth(4).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'evening-walk routine' }).waitFor()
    expect(readFileSync(fileOf('evening-walk'), 'utf8')).toContain('cron: "0 18 * * 1-5"')

    await page.getByRole('button', { name: 'Edit' }).click()
    const text = page.getByRole('textbox', { name: 'routines/evening-walk.md' })
    await text.fill('---\ncron: 99 18 * * *\n---\nAsk me.\n')
    await page.getByText('Line 2: cron is').waitFor()
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await text.fill('---\ncron: 0 19 * * *\n---\nAsk me.\n')
    await page.getByText('− cron: "0 18 * * 1-5"').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('every day at 19:00').first().waitFor()
    await page.getByRole('link', { name: /routine evening-walk, Sat 14 Nov 19:00/ }).waitFor()

    const [button, sure] = ['Delete', 'Really delete?'].map((name) => page.getByRole('button', { name }))
    await pressTwice(button!, sure!)
    await page.getByText('routines/evening-walk.md is deleted.').waitFor()
    expect(existsSync(fileOf('evening-walk'))).toBe(false)
    expect(troubles).toEqual([])
  })

  test('[PAGE1] a reminder that is made here is a file', async () => {
    const { page, troubles } = await story.look('/background/jobs/new', { width: 360 })
    await page.getByRole('button', { name: 'once' }).click()
    await page.getByLabel('Name').fill('Water the plants')
    await page.getByLabel('When').fill('2026-11-20T18:00')
    await page.getByLabel('What to do').fill('Remind me to water the plants.')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'water-the-plants reminder' }).waitFor()
    const file = join(story.served.home, 'workspace', 'reminders', 'water-the-plants.md')
    expect(readFileSync(file, 'utf8')).toContain('run-at: "2026-11-20T18:00"')
    expect(troubles).toEqual([])
  })

  test('a ping that went elsewhere is answered here, and says so', async () => {
    const { page, troubles } = await story.look('/background?who=webhook+smoke')
    const row = page.getByRole('row').filter({ hasText: 'Smoke alarm in the kitchen' })
    await row.getByRole('button', { name: 'Answer' }).click()
    await page.getByRole('menuitem', { name: 'Done' }).click()
    await row.getByText('you: done').waitFor()
    expect(troubles).toEqual([])
  })

  test('a pause of everything is shown, and ended', async () => {
    const { page } = await story.look('/background', { width: 360 })
    await page.getByRole('button', { name: 'Pause all' }).click()
    await page.getByRole('menuitem', { name: 'For an hour' }).click()
    await page.getByText('All jobs and pings are paused until Sat 14 Nov 13:').waitFor()
    await page.getByRole('button', { name: 'Resume all' }).click()
    await page.getByRole('button', { name: 'Pause all' }).waitFor()
  })

  test('[PAGE2] a job says nothing that runs or loads', async () => {
    const bad = '<img src=x onerror=alert(1)>'
    writeFileSync(fileOf('bad'), `---\ncron: 0 20 * * *\ndescription: "${bad}"\n---\n${bad}\n`)
    writeFileSync(fileOf('worse'), `---\ncron: "${bad}"\n---\n${bad}\n`)
    const { page, troubles } = await story.look('/background/jobs/routine/bad', { width: 360 })
    await page.locator('blockquote', { hasText: bad }).waitFor()
    await page.getByRole('link', { name: 'All jobs' }).click()
    await page.getByText('routines/worse.md').click()
    await page.getByText('Mainstem ignores this file until you fix the error below.').waitFor()
    await settled(page)
    await expectFits(page)
    expect(troubles).toEqual([])
  })
})
