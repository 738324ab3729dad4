import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { collect, run, tempFolder, type Ran } from './cli/run.ts'

const OSC = '\u001B]52;c;cm0gLXJmIH4=\u0007'
const HOSTILE = `evil${OSC}\u001B[31m\u009B2J\u202E\u2066\u200F`

/** A home in which a model called a tool that it invented, and answered, both with sequences for terminals. */
async function hostileHome(): Promise<string> {
  const home = join(tempFolder(), 'home')
  const script = join(tempFolder(), 'script.json')
  const steps = [
    { calls: [{ tool: HOSTILE, args: { HOSTILE } }] },
    { reply: { text: `done ${HOSTILE}\n\tend` } },
  ]
  writeFileSync(script, JSON.stringify(steps))
  await run(['--model', `scripted:${script}`, '-p', `hello ${HOSTILE}`], { home })
  return home
}

/** What a terminal would obey, besides our own colours. */
const OBEYED = new RegExp(String.raw`(?!\t|\n|\u001B\[\d+m)\p{Cc}|\p{Bidi_Control}`, 'u')

function expectHarmless({ out, err }: Ran): void {
  expect(out).not.toMatch(OBEYED)
  expect(err).not.toMatch(OBEYED)
}

const LOOKS = [
  ['context', '--turn', 'last'],
  ['context', '--turn', 'last', '--json'],
  ['context', '--turn', '1', '--call', '1'],
  ['context'],
  ['log'],
  ['log', '--json'],
  ['agents'],
  ['recall', 'evil'],
  ['recall', 'evil', '--json'],
  ['recall', HOSTILE],
  ['status'],
  ['export'],
  ['updates'],
  ['routine', 'show', HOSTILE],
  [HOSTILE],
  ['context', `--${HOSTILE}`],
]

describe('what a command prints', () => {
  test('[SAFE6] gives a terminal nothing that it would obey, nor a pipe, whatever the log holds', async () => {
    const home = await hostileHome()
    for (const args of LOOKS)
      for (const isTTY of [true, false]) expectHarmless(await run(args, { home, isTTY }))
  })

  test('[SAFE6] shows the name of an invented tool instead of obeying it', async () => {
    const home = await hostileHome()
    const args = ['context', '--turn', 'last']
    const [terminal, pipe] = [await run(args, { home, isTTY: true }), await run(args, { home })]
    expect(terminal.out).toContain('result of evil␛]52;c;cm0gLXJmIH4=␇')
    expect(terminal.out).not.toContain('\u001B[31m')
    expect(pipe.out).toContain(String.raw`result of evil\x1b]52;c;cm0gLXJmIH4=\x07\x1b[31m\x9b2J\u202e\u2066`)
  })

  test('keeps lines and tabs in a pipe, and with --raw everything, before or behind the command', async () => {
    const home = join(tempFolder(), 'home')
    const script = join(tempFolder(), 'script.json')
    writeFileSync(
      script,
      JSON.stringify([{ reply: { text: `a\n\tb${OSC}` } }, { reply: { text: `a\n\tb${OSC}` } }]),
    )
    const ask = (...more: string[]) => run(['--model', `scripted:${script}`, ...more, '-p', 'x'], { home })
    expect((await ask()).out).toBe('a\n\tb\\x1b]52;c;cm0gLXJmIH4=\\x07\n')
    expect((await ask('--raw')).out).toBe(`a\n\tb${OSC}\n`)
    const raw = await run(['context', '--turn', 'last', '--raw'], { home })
    expect(await run(['--raw', 'context', '--turn', 'last', '--call', '1'], { home })).toMatchObject({
      code: 0,
    })
    expect(raw.code).toBe(0)
  })

  test('[SAFE6] is JSON with nothing lost where JSON is asked for', async () => {
    const home = await hostileHome()
    const { out } = await run(['context', '--turn', 'last', '--json'], { home, isTTY: true })
    const { prompt } = JSON.parse(out) as { prompt: { messages: { tool?: string }[] } }
    expect(prompt.messages.map(({ tool }) => tool)).toContain(HOSTILE)
    const copy = join(tempFolder(), 'home')
    const { out: exported } = await run(['export'], { home })
    expect(await run(['import', '-'], { home: copy, input: exported })).toMatchObject({ code: 0 })
    expect((await run(['export'], { home: copy })).out).toContain(exported)
  })

  test('[SAFE6] also where it is a stack trace of Node', async () => {
    const main = new URL('../src/cli/main.ts', import.meta.url).href
    const code = `const { main } = await import('${main}'); await main(['--version']); throw new Error(process.argv[1])`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', code, `bug ${HOSTILE}`])
    const err = collect(child.stderr)
    await once(child, 'close')
    expect(err()).toContain(String.raw`Error: bug evil\x1b]52;`)
    expect(err()).not.toMatch(OBEYED)
  })
})
