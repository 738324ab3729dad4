import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { hasTmux, openPane as openProgram, why, type Pane } from './stand-ins/tmux.ts'

const DEMO = fileURLToPath(new URL('../scripts/screen-demo.ts', import.meta.url))
const MAINSTEM = fileURLToPath(new URL('../bin/mainstem.js', import.meta.url))
const QUESTIONS = fileURLToPath(new URL('stand-ins/terminal-question-demo.ts', import.meta.url))
/** The demo, unless another program is named. */
function openPane(columns: number, rows: number, program = `${DEMO} 400`): Promise<Pane> {
  return openProgram(columns, rows, { program })
}

/** The options of a home with a job, whose run sends a card and whose model then answers the reply to it. */
function backgroundHome(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mainstem-tmux-home-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }))
  const routines = join(folder, 'workspace', 'routines')
  mkdirSync(routines, { recursive: true })
  const front = 'cron: "0 8 * * *"\nbackground: true\nupdate-main-session: freely'
  writeFileSync(join(routines, 'brief.md'), `---\n${front}\n---\nLook at the build.\n`)
  const args = {
    title: 'The build is red',
    fields: [{ name: 'Branch', value: 'main' }],
    buttons: [{ label: 'Retry' }],
  }
  const steps = [
    { calls: [{ tool: 'send_embed', args }] },
    { reply: { text: 'Done.' } },
    { reply: { text: 'It is green again.' } },
  ]
  const script = join(folder, 'script.json')
  writeFileSync(script, JSON.stringify(steps))
  return `--home ${folder} --model scripted:${script}`
}

describe.skipIf(!hasTmux)(`in a real terminal${why}`, () => {
  test.each([
    [80, 24],
    [160, 50],
  ])('a whole turn on %i×%i leaves the transcript and nothing else', async (columns, rows) => {
    const pane = await openPane(columns, rows)
    pane.keys('What changed?', 'Enter')
    await pane.until('2 unread')
    const all = pane.shown('all')
    for (const once of [
      '› What changed?',
      'What changed in the parser',
      '✓ read_file',
      '✗ web_fetch',
      'That is all.',
      '╭─',
    ])
      expect(all.split(once)).toHaveLength(2)
    expect(all).not.toMatch(/[⋮⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/)
    expect(pane.shown().split('\n')[pane.cursor().row]).toMatch(/^│/)
  })

  test('a paste of several lines waits for Enter', async () => {
    const pane = await openPane(80, 24)
    pane.paste('first line\nsecond line\n')
    await pane.until('│ second line')
    expect(pane.shown()).not.toContain('› first')
    pane.keys('Enter')
    await pane.until('› first line\n  second line')
  })

  test.each([
    [80, '  1 Once   2 Always: git_log(src/*)   3 Deny\n'],
    [40, '  1 Once\n  2 Always: git_log(src/*)\n  3 Deny\n'],
  ])(
    'in %i columns a digit then Enter to answer what is asked, and leave the transcript alone',
    async (columns, row) => {
      const pane = await openPane(columns, 24, QUESTIONS)
      pane.keys('change', 'Enter')
      await pane.until('1 2 then Enter to answer')
      pane.keys('run', 'Enter')
      await pane.until('1 2 3 then Enter to answer')
      await pane.until('· 18 s left')
      expect(pane.shown()).toContain(row)
      pane.keys('1')
      await pane.until('[1 Once]')
      pane.keys('Enter')
      await pane.until('Done: /approve 4')
      await pane.until('1 2 then Enter to answer')
      pane.keys('2')
      await pane.until('[2 Deny]')
      pane.keys('Enter')
      await pane.until('Done: /deny 3')
      // On a slow machine the screen is still being drawn.
      for (const once of ['› /approve 4', '› /deny 3', '+ Ask before anything', '╭─'])
        await expect.poll(() => pane.shown('all').split(once)).toHaveLength(2)
      expect(pane.shown('all')).not.toMatch(/s left|1 Once|Esc for later|Enter to confirm/)
    },
  )

  test('a message from the background has a number, and a reply to it goes to a fork', async () => {
    const pane = await openPane(80, 30, `${MAINSTEM} ${backgroundHome()}`)
    pane.keys('/run routines/brief.md', 'Enter')
    await pane.until('Retry  /reply 1 Retry')
    expect(pane.shown()).toContain(
      '● #1 from routine brief\n  ▌ The build is red\n  ▌ Branch  main\n  Answers:\n',
    )
    pane.keys('/reply 1 Retry', 'Enter')
    await pane.until('It is green again.')
    await pane.until('╭─ fork ')
    const all = pane.shown('all')
    for (const once of ['#1 from', '› /reply 1 Retry', 'You are in the fork', '╭─'])
      expect(all.split(once)).toHaveLength(2)
  })

  test('Ctrl-R, the only suggestion, a queued message, an open tool line and Esc', async () => {
    const pane = await openPane(80, 30, `${DEMO} 20`)
    pane.keys('C-r')
    pane.keys('parser')
    await pane.until('│ What changed in the parser?\n│ History search: parser')
    pane.keys('Enter')
    await pane.until('› What changed in the parser?')
    await pane.until('✗ web_fetch')
    pane.keys('And then?', 'Enter')
    await pane.until('› And then? (waiting)')
    pane.keys('C-o')
    await pane.until('▾ web_fetch')
    pane.keys('C-o')
    pane.keys('/relo', 'Enter')
    await pane.until('│ /reload\n')
    pane.keys('C-u')
    await pane.until('Esc to stop')
    pane.keys('Escape')
    await pane.until('This answer is incomplete.')
  })

  test('what is typed while it starts is sent as it was typed, one message for each Enter', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mainstem-early-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }))
    const [gate, go] = [join(folder, 'gate.js'), join(folder, 'go')]
    // Nothing is read from the terminal while this is imported.
    const wait = `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)`
    writeFileSync(
      gate,
      `const { existsSync } = require('fs'); console.log('Starting'); while (!existsSync('${go}')) ${wait}`,
    )
    const program = `--require ${gate} ${MAINSTEM} --home ${folder} --model offline`
    const pane = await openProgram(80, 30, { program, ready: 'Starting' })
    pane.keys('/note one', 'Enter', '/note two', 'Enter', 'three')
    await pane.until('/note two\nthree')
    writeFileSync(go, '')
    await pane.until('│ three')
    const sent = (): unknown => pane.shown('all').match(/^› .*/gm)
    await expect.poll(sent, { interval: 50 }).toEqual(['› /note one', '› /note two'])
    pane.keys('C-j', 'four')
    await pane.until('│ three\n│ four')
  })

  test('with INK_SCREEN_READER=true the chat is in sentences', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mainstem-spoken-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }))
    vi.stubEnv('INK_SCREEN_READER', 'true')
    onTestFinished(() => void vi.unstubAllEnvs())
    const pane = await openPane(80, 24, `${MAINSTEM} --home ${folder} --model offline`)
    expect(pane.shown()).toMatch(/^main, offline, context \d/m)
    expect(pane.shown()).not.toContain('╭─')
  })

  test('a terminal that becomes narrow and wide again keeps one box', async () => {
    const pane = await openPane(100, 30)
    for (const [columns, rows] of [
      [70, 30],
      [41, 15],
      [120, 40],
    ] as const) {
      pane.resize(columns, rows)
      pane.keys('x')
      await pane.until('│ x')
      await expect.poll(() => pane.shown('all').split('╭─')).toHaveLength(2)
    }
  })

  test.each([
    ['Ctrl-C twice', (pane: Pane) => pane.keys('C-c', 'C-c')],
    ['Ctrl-D', (pane: Pane) => pane.keys('C-d')],
    ['SIGTERM', (pane: Pane) => process.kill(pane.pid(), 'SIGTERM')],
    ['SIGHUP', (pane: Pane) => process.kill(pane.pid(), 'SIGHUP')],
  ])('after %s the terminal is as it was', async (_, leave) => {
    const pane = await openPane(80, 24)
    leave(pane)
    await pane.until('left: icanonecho')
    expect(pane.cursor().isShown).toBe(true)
  })
})
