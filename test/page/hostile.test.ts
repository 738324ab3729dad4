import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isWithoutBrowser } from './chromium.ts'
import { openPalette, pageStage, settled, shot } from './stage.ts'

async function tell(home: string): Promise<void> {
  const script = join(import.meta.dirname, 'hostile-story.ts')
  const child = spawn(process.execPath, ['--no-warnings', script, home], { stdio: 'inherit' })
  expect((await once(child, 'close')) as unknown[]).toEqual([0, null])
}

const PATHS = [
  '/chat/main',
  '/context',
  '/river',
  '/background',
  '/memory?q=hello',
  '/tasks',
  '/cost',
  '/settings',
  '/settings/people',
  '/settings/models',
]

describe.skipIf(isWithoutBrowser)('[PAGE2] text is text', () => {
  const stage = pageStage('empty', tell)

  test('in every view: nothing that somebody wrote runs, loads or becomes a part of the page', async () => {
    const { page, troubles } = await stage.look('/chat')
    for (const path of PATHS) {
      await page.goto(`${stage.served.url}${path}`)
      await settled(page)
      const made = await page.evaluate<number>(
        `document.querySelectorAll('#hostile, #root script, #root iframe, #root form[action], #root style, #root img:not([src^="/api/files/"]), [onerror], [onload], a[href^="javascript:"], a[href^="data:"]').length`,
      )
      expect.soft(made, path).toBe(0)
    }
    await page.goto(`${stage.served.url}/memory?q=hello`)
    await page.getByText('alert(1)').first().waitFor()
    await shot(page, 'hostile')
    await openPalette(page)
    await page.keyboard.type('hello')
    await page.getByRole('option', { name: /Search everything/ }).waitFor()
    expect(troubles).toEqual([])
  })
})
