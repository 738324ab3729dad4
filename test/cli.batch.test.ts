import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { UsageError } from '../src/cli/frame/command.ts'
import { readCommandLine } from '../src/cli/frame/command-line.ts'
import type { Event } from '../src/event/event.ts'
import type { StepInput } from '../src/model/scripted.ts'
import { openForReading } from '../src/runtime/home/open-log.ts'
import { collect, openOtherWriter, run, runProcess, start, tempFolder } from './cli/run.ts'

const HELLO =
  'Hello! I\'m the offline stand-in: a few fixed rules, not a language model. Say "help" to see what I understand.\n'

function newHome(): string {
  return join(tempFolder(), 'home')
}

/** The options for a model that does these steps. */
function scripted(...steps: StepInput[]): string[] {
  const file = join(tempFolder(), 'script.json')
  writeFileSync(file, JSON.stringify(steps))
  return ['--yes', '--model', `scripted:${file}`]
}

function objects(out: string): Record<string, unknown>[] {
  return out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

async function eventsOf(home: string): Promise<Event[]> {
  if (!existsSync(join(home, 'log.db'))) return []
  const log = openForReading(home)
  try {
    return await Array.fromAsync(log.events())
  } finally {
    await log.close()
  }
}

/** The output of an object and whether it is an error, or the text of an event. */
function told(one: Record<string, unknown>): unknown[] {
  const { output, error = false, event } = one as { event?: { text: string } } & typeof one
  return event === undefined ? [output, error] : ['event', event.text]
}

interface Running {
  readonly child: ChildProcess
  readonly out: () => string
  readonly err: () => string
  readonly ended: Promise<unknown>
}

function running(args: readonly string[], home: string): Running {
  const child = start(args, { home })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'close')
  return { child, out: collect(child.stdout), err: collect(child.stderr), ended }
}

const slow = (text: string): StepInput => ({ delayMs: 60_000, reply: { text } })

const failing = (reason: 'rejected' | 'overloaded', times: number): StepInput[] =>
  Array.from({ length: times }, () => ({ error: { reason, message: 'no luck' } }))

describe('one question', () => {
  test('is answered on the standard output and nothing else is; a second one goes on from there', async () => {
    const home = newHome()
    const first = await runProcess(['-p', 'hello there'], { home })
    expect(first).toMatchObject({ code: 0, out: HELLO })
    const again = await runProcess(['hello again'], { home })
    expect(again).toEqual({ code: 0, out: HELLO, err: '' })
    const messages = (await eventsOf(home)).filter(({ kind }) => kind === 'message-added')
    expect(messages).toHaveLength(4)
  })

  test.each([
    [['contxt'], "Unknown command 'contxt'; did you mean 'context'?"],
    [['what', 'is', 'this'], 'put it in quotes: mainstem "what is this"'],
    [['foo'], "mainstem: Unknown command 'foo'. 'mainstem help' lists the commands.\n"],
  ])('%j is not understood, exit code 2, and makes no home', async (args, told) => {
    const home = newHome()
    const { code, out, err } = await run(args, { home })
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(told)
    expect(existsSync(home)).toBe(false)
  })

  test.each([
    [['-p'], "'-p, --prompt <value>' argument missing"],
    [['-p', ' '], 'The question is empty'],
    [['-p', 'one', 'two words'], 'Only one question'],
    [['--jsn'], "There is no option '--jsn'; did you mean '--json'?"],
    [['--jsn', 'log'], "There is no option '--jsn' before a command"],
    [['--json', 'log'], "'--json' cannot come before a command. It is for questions"],
    [['--model', 'offline', 'context'], "The options of 'context' come after it; 'mainstem help context'"],
    [['--set', 'x', '-p', 'hello'], "'--set x' has no value"],
    [['--wait', 'long', '-p', 'hello'], "'--wait long' is not a time"],
  ])('%j is refused with what to do', (args, told) => {
    expect(() => readCommandLine(args)).toThrow(UsageError)
    expect(() => readCommandLine(args)).toThrow(told)
  })

  test('what is piped in comes with the question, as data, and a command takes none', async () => {
    const home = newHome()
    const model = scripted({ reply: { text: 'a list' } })
    const input = 'milk\n/stop\neggs\n'
    expect(await run([...model, '-p', 'sum this up'], { home, input })).toMatchObject({
      code: 0,
      out: 'a list\n',
    })
    const said = (await eventsOf(home)).filter(({ kind }) => kind === 'inbound-admitted')
    expect(said).toMatchObject([
      { form: 'message', text: 'sum this up\n\n<data source="stdin">\nmilk\n/stop\neggs\n</data>' },
    ])
    expect(await run(['-p', '/mark A'], { home, input })).toMatchObject({
      code: 0,
      out: "Checkpoint 'A' created.\n",
    })
  })

  test('settings of the command line hold for this time only, and wrong ones start nothing', async () => {
    const home = newHome()
    const [asked, wrong] = await Promise.all([
      run([...scripted({ reply: { text: 'as scripted' } }), '-p', 'hello'], { home }),
      run(['--set', 'maxToolCalls=many', '-p', 'hello'], { home: newHome() }),
    ])
    expect(asked).toMatchObject({ code: 0, out: 'as scripted\n' })
    expect(wrong).toMatchObject({ code: 2, out: '' })
    expect(wrong.err).toContain('Write a whole number from 0 to 50')
    expect(wrong.err).not.toMatch(/^\s+at /m)
    // Without it the home's model is not set, and offline answers only by name (MODEL1).
    expect(await run(['-p', 'hello there'], { home })).toMatchObject({ code: 1, out: '' })
    expect((await run(['--model', 'offline', '-p', 'hello there'], { home })).out).toBe(HELLO)
  })

  test('a model that cannot be is refused by the option that names it, and starts nothing', async () => {
    const home = newHome()
    const { code, out, err } = await run(['--model', 'nosuch', '-p', 'hi'], { home })
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(/^mainstem: --model: model cannot be 'nosuch'\. Write PROVIDER\/MODEL/)
    expect(err).not.toContain('--set')
    expect(existsSync(home)).toBe(false)
  })

  const atOnce = ['--set', 'maxRetries=0', '--set', 'cbBackoff=1', '--set', 'cbThreshold=99']

  test.each([
    ['rejected', 'Your message is kept; /retry sends it again.'],
    ['overloaded', 'no luck. Your message is kept as failed; /retry sends it again.'],
  ] as const)('that the model has %s is told on the standard error, exit code 1', async (reason, told) => {
    const model = scripted(...failing(reason, 500))
    const args = [...model, ...atOnce, '--timeout', '1', '-p', 'hello']
    const { code, out, err } = await run(args, { home: newHome() })
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain('no luck')
    expect(err).toContain(told)
  })

  test('a model that fails for a while is waited for, and what it did is told', async () => {
    const model = scripted(...failing('overloaded', 2), { reply: { text: 'at last' } })
    const { code, out, err } = await run([...model, ...atOnce, '-p', 'hello'], { home: newHome() })
    expect({ code, out }).toEqual({ code: 0, out: 'at last\n' })
    expect(err).toContain("no luck. Your message is kept, and I'll try again")
  })

  test('a question that was withdrawn is not answered with the next one, and /retry sends it again', async () => {
    const home = newHome()
    const fail = [...scripted(...failing('overloaded', 500)), ...atOnce]
    const first = await run([...fail, '--json', '--timeout', '1', '-p', 'one'], { home })
    expect(first.code).toBe(1)
    expect(objects(first.out).at(-1)).toMatchObject({
      input: 'one',
      output: expect.stringContaining('No answer within 1 s.') as string,
      error: true,
      failure: { reason: 'overloaded', message: expect.stringMatching(/no luck$/) as string },
    })
    const two = await run([...scripted({ reply: { text: 'to two' } }), '-p', 'two'], { home })
    expect(two).toMatchObject({ code: 0, out: 'to two\n', err: '' })
    const added = (await eventsOf(home)).filter((event) => event.kind === 'message-added')
    expect(added.map(({ message }) => message)).toMatchObject([
      { text: 'one' },
      { text: 'two', before: [expect.stringContaining('failed and was withdrawn')] },
      { text: 'to two' },
    ])
    await run([...fail, '--timeout', '0.5', '-p', 'three'], { home })
    const again = await run([...scripted({ reply: { text: 'to three' } }), '-p', '/retry'], { home })
    expect(again).toMatchObject({ code: 0, out: 'Trying again.\nto three\n', err: '' })
  })

  test('a model that never answers is given up at the time limit, also by /retry', async () => {
    const home = newHome()
    const args = [...scripted(slow('too late')), '--timeout', '0.1', '-p']
    const first = await run([...args, 'hello'], { home })
    expect(first).toMatchObject({ code: 1, out: '' })
    expect(first.err).toContain('No answer within 0.1 s.')
    expect(first.err).toContain(
      'has not answered yet. Your message is kept as failed; /retry sends it again.',
    )
    const retried = await run([...args, '/retry'], { home })
    expect(retried).toMatchObject({ code: 1, out: 'Trying again.\n' })
    expect(retried.err).toContain('No answer within 0.1 s.')
    const again = await run([...scripted({ reply: { text: 'hi' } }), '-p', '/retry'], { home })
    expect(again).toMatchObject({ code: 0, out: 'Trying again.\nhi\n' })
  })

  test('a wait for a model that failed is told once, if it is long', async () => {
    const limited = { error: { reason: 'rate-limited', message: 'too many', retryAfterMs: 30_000 } } as const
    const { err } = await run([...scripted(limited), '--timeout', '1', '-p', 'hello'], { home: newHome() })
    expect(err).toMatch(/^mainstem: scripted.*: too many\. Trying again in 30 s\.$/m)
    expect(err).toContain('No answer within 1 s.')
  })

  test('an earlier message that waits for the model is tried at once, and a question behind it is answered', async () => {
    const home = newHome()
    const late = [...atOnce, '--set', 'cbBackoff=200000']
    const fail = [...scripted(...failing('overloaded', 500)), ...late]
    expect(await run(fail, { home, input: 'piped\n' })).toMatchObject({ code: 1 })
    const queued = await run([...fail, '--timeout', '0.1', '-p', 'asked'], { home })
    expect(queued).toMatchObject({ code: 1, out: '' })
    expect(queued.err).toContain('An earlier message waits for the model too. Yours is answered after it')
    const answers = ['to piped', 'to asked', 'to third'].map((text) => ({ reply: { text } }))
    const third = await run([...scripted(...answers), ...late, '-p', 'third'], { home })
    expect(third).toMatchObject({ code: 0, out: 'to third\n' })
    expect(third.err).toContain('to piped')
    expect(third.err).toContain('to asked')
  })

  test.each([
    '/allow write',
    '/approve 1',
    '/permissions default',
    '/model offline',
    '/skills allow git',
    '/pair approve ABCD-EFGH me',
  ])('[RIGHT1] [SAFE4] %s needs --yes, and a list of what is allowed does not', async (line) => {
    const home = newHome()
    const offline = ['--set', 'timezone=UTC']
    const refused = await run([...offline, '-p', line], { home })
    const [name = ''] = line.split(' ')
    expect(refused.code).toBe(1)
    expect(refused.out).toMatch(
      new RegExp(`^${name}.* changes what the agent may do, so -p and pipes need --yes for it`),
    )
    const done = (await eventsOf(home)).filter(({ kind }) => /granted|decided/.test(kind))
    expect(done).toEqual([])
    await run([...offline, '--yes', '-p', line], { home })
    expect((await eventsOf(home)).some((event) => event.kind === 'command-run' && event.line === line)).toBe(
      true,
    )
    expect((await run([...offline, '-p', '/allow'], { home })).code).toBe(0)
  })

  test.each([
    ['--set', 'permissions= bypassPermissions'],
    ['--set', 'PERMISSIONS=bypassPermissions'],
    ['--set', 'mcp.servers={"x":{"command":"sh"}}'],
    ['--set', 'model=scripted:/nowhere.json'],
    ['--model', 'scripted:/nowhere.json'],
  ])('[RIGHT1] %s %s from a pipe needs --yes', async (...flag) => {
    const home = newHome()
    for (const [args, input] of [
      [[], '/permissions\n'],
      [['-p', '/permissions'], ''],
    ] as const) {
      const refused = await run([...flag, ...args], { home, input })
      expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringContaining('need --yes') })
    }
    expect(existsSync(join(home, 'log.db'))).toBe(false)
    const [option, value] = flag
    if (value.includes('scripted')) return
    const sure = await run([option, value, '--set', 'sandbox=off', '--yes', '-p', '/permissions'], {
      home,
      input: '',
    })
    expect(sure.code).toBe(0)
  })

  test('with --json it is one object', async () => {
    const { out } = await run(['--json', '-p', 'hello there'], { home: newHome() })
    expect(objects(out)).toEqual([
      {
        input: 'hello there',
        output: HELLO.trimEnd(),
        branch: 'main',
        turn: expect.stringMatching(/^tn_/) as string,
      },
    ])
  })
})

describe('lines of the standard input', () => {
  const WALK = `hello there
/mark RESEARCH
Investigate authentication approaches.
Report findings when complete.

/fork RESEARCH
/nonsense
//not a command
/mark DONE
thanks
/rewind DONE
`

  test('are messages and commands in their order; a task between mark and fork goes to the child', async () => {
    const home = newHome()
    const { code, out } = await run([], { home, input: WALK })
    expect(code).toBe(1)
    const kept = out.split('\n').filter((line) => !/^\w+ finished: /.test(line))
    expect(kept).toEqual([
      HELLO.trimEnd(),
      "Checkpoint 'RESEARCH' created.",
      expect.stringMatching(/^Forked. Child: \w{6} \(from RESEARCH\)$/),
      expect.stringContaining("Unknown command '/nonsense'"),
      expect.stringContaining('A real model would answer you here.'),
      "Checkpoint 'DONE' created.",
      "You're welcome.",
      "Rewound to 'DONE'.",
      '',
    ])
    expect(out).toMatch(/^\w{6} finished: /m)
    const notes = (await eventsOf(home)).flatMap((event) =>
      event.kind === 'message-added' && event.message.role === 'note' ? [event.message.text] : [],
    )
    expect(notes).toContain('Investigate authentication approaches.\nReport findings when complete.')
  })

  test('[SAFE4] change no rights without --yes, and the next line is read', async () => {
    const home = newHome()
    const input = '/mark A\n/allow write\n/permissions default\n/allow\n'
    const refused = await run([], { home, input })
    expect(refused.code).toBe(1)
    expect(refused.out).toContain('/allow changes what the agent may do, so -p and pipes need --yes for it.')
    expect(refused.out).toContain('/permissions default changes')
    expect(refused.out).toContain('Nothing is allowed yet')
    const sure = await run(['--yes'], { home, input })
    expect(sure.out).toContain('Allowed:\n  write')
  })

  test('with --json a /reply names the fork that it opened', async () => {
    const home = newHome()
    const file = join(tempFolder(), 'trains.md')
    writeFileSync(file, '---\nid: trains\nupdate-main-session: freely\n---\nLook at the trains.\n')
    await run(['-p', 'hello'], { home })
    const ping = { calls: [{ tool: 'ping_user', args: { message: 'Your train is late.' } }] }
    const [, ...model] = scripted(ping, { reply: { text: 'Done.' } })
    const ran = await run(['run', file, ...model], { home })
    expect(ran.code).toBe(0)
    const { out } = await run([...scripted({ reply: { text: 'By an hour.' } }), '--json'], {
      home,
      input: '/reply 1 By how much?\n/mark HERE\n',
    })
    const [replied, marked] = objects(out)
    const [, fork] = /^You are in the fork (\w+) now/.exec(String(replied?.['output'])) ?? []
    expect(fork).toBeDefined()
    expect(replied).toMatchObject({ branch: fork, turn: expect.any(String) as string })
    expect(replied?.['output']).toMatch(/By an hour\.$/)
    expect(marked).toMatchObject({ branch: fork, turn: null })
  })

  test('with --json each gives one object, and whatever else is said an event', async () => {
    const { code, out } = await run(['--json'], { home: newHome(), input: WALK })
    expect(code).toBe(1)
    const said = objects(out).filter((one) => !('event' in one))
    expect(said.map(({ input }) => input)).toEqual([
      'hello there',
      WALK.split('\n').slice(1, 6).join('\n'),
      '/nonsense',
      '//not a command',
      '/mark DONE',
      'thanks',
      '/rewind DONE',
    ])
    expect(said.map(({ turn }) => turn !== null)).toEqual([true, false, false, true, false, true, false])
    expect(said.map(({ error }) => error === true)).toEqual([false, false, true, false, false, false, false])
    expect(said[1]?.['output']).toMatch(/^Checkpoint 'RESEARCH' created\.\nForked/)
    const events = objects(out).flatMap(({ event }) => (event === undefined ? [] : [event]))
    expect(events).toEqual([
      {
        form: 'notice',
        text: expect.stringContaining('finished') as string,
        branch: expect.stringMatching(/^\w{6}$/) as string,
        turn: null,
      },
    ])
  })

  test('are answered as they come, while the input stays open', async () => {
    const { child, out, ended } = running([], newHome())
    child.stdin?.write('hello there\n')
    await expect.poll(out).toBe(HELLO)
    child.stdin?.write('/mark A\n')
    await expect.poll(out).toBe(`${HELLO}Checkpoint 'A' created.\n`)
    child.stdin?.end('thanks')
    expect(await ended).toEqual([0, null])
    expect(out()).toMatch(/You're welcome\.\n$/)
  })

  test('the exit code is 0 when the failures are only of others, and /exit ends it', async () => {
    const home = newHome()
    const ran = await run([], { home, input: '/fork\n/exit\n/exit\nnot asked\n' })
    expect(ran.code).toBe(0)
    expect(ran.out).toMatch(/^Forked\. Child: [^]*You are talking to main now\.\nGoodbye\.\n$/)
    expect(ran.err).toContain('mainstem: /exit ended the conversation; 1 more input line was not read.\n')
  })

  test('what stands behind /exit is counted, also while the input stays open', async () => {
    const { child, err, ended } = running([], newHome())
    child.stdin?.write('/exit\none\n\n/mark A\ntwo\n')
    expect(await ended).toEqual([0, null])
    expect(err()).toContain('/exit ended the conversation; 3 more input lines were not read.')
    const { err: none } = await run([], { home: newHome(), input: 'hello there\n/exit\n\n' })
    expect(none).not.toContain('not read')
  })
})

/** Waits for the model's call, so that the next line comes in the midst of it. */
async function untilCalled(home: string): Promise<void> {
  const isCalled = async () => (await eventsOf(home)).some(({ kind }) => kind === 'model-called')
  await expect.poll(isCalled).toBe(true)
}

describe('a line that comes while the one before it is being answered', () => {
  test.each([
    ['in pieces', ['/mark A\n', 'Do research on X\n']],
    ['with blank lines', ['/mark A\n\n', '\nDo research on X\n\n']],
    ['after another mark', ['/mark A\n/mark B\n', 'Do research on X\n']],
    ['with its mark', ['/mark A\nDo research on X\n']],
  ])('gives it to a child at once if it is the fork of its mark: %s', async (_, lines) => {
    const home = newHome()
    const model = scripted(slow('by the parent'), { reply: { text: 'by the child' } })
    const { child, out, ended } = running([...model, '--json'], home)
    for (const [count, line] of lines.entries()) {
      child.stdin?.write(line)
      if (count < lines.length - 1) await expect.poll(out).toContain('created')
    }
    await untilCalled(home)
    child.stdin?.write('/fork A\n')
    await expect.poll(out).toContain('finished: by the child')
    child.stdin?.end('/check-mail\n')
    expect(await ended).toEqual([0, null])
    const said = objects(out()).filter((one) => !('event' in one || one['input'] === '/mark B'))
    expect(said.map(({ input, output }) => [input, output])).toEqual([
      ['/mark A', "Checkpoint 'A' created."],
      ['Do research on X', ''],
      ['/fork A', expect.stringContaining('I stopped answering here: the child has your message') as string],
      ['/check-mail', expect.stringContaining('by the child') as string],
    ])
    expect(said.map(({ turn }) => turn !== null)).toEqual([false, true, false, false])
    expect(out()).not.toContain('by the parent')
  })

  test.each([[[]], [['--json']]])(
    'stops it at once if it is /stop, and the next is answered: %j',
    async (form) => {
      const home = newHome()
      const { child, out, ended } = running(
        [...scripted(slow('never'), { reply: { text: 'soon' } }), ...form],
        home,
      )
      child.stdin?.write('are you slow\n')
      await untilCalled(home)
      child.stdin?.end('/stop\nand now\n')
      expect(await ended).toEqual([0, null])
      if (form.length === 0) expect(out()).toBe('Stopped.\nsoon\n')
      else
        expect(objects(out()).map(({ input, output }) => [input, output])).toEqual([
          ['are you slow', ''],
          ['/stop', 'Stopped.'],
          ['and now', 'soon'],
        ])
    },
  )

  test.each(['/fork B', '/fork', 'a second text'])('waits for its answer if it is %s', async (line) => {
    const home = newHome()
    const model = scripted({ delayMs: 1_000, reply: { text: 'first' } }, { reply: { text: 'second' } })
    const { child, out, ended } = running([...model, '--json'], home)
    child.stdin?.write('/mark A\n')
    await expect.poll(out).toContain('created')
    child.stdin?.write('Do research on X\n')
    await untilCalled(home)
    child.stdin?.end(`${line}\n`)
    await ended
    const events = await eventsOf(home)
    const answered = events.findIndex((event) => event.kind === 'delivery-intended' && event.text === 'first')
    const came = events.findIndex((event) => JSON.stringify(event).includes(JSON.stringify(line)))
    expect(answered).toBeGreaterThan(0)
    expect(came).toBeGreaterThan(answered)
  })
})

describe('a model that fails', () => {
  test('a message that comes while another is deferred is answered with it', async () => {
    const model = scripted(
      { error: { reason: 'overloaded', message: 'no luck' } },
      { reply: { text: 'to both' } },
    )
    const flags = ['--set', 'maxRetries=0', '--set', 'cbBackoff=300']
    const { code, out } = await run(['--json', ...model, ...flags], { home: newHome(), input: 'one\ntwo\n' })
    expect(code).toBe(1)
    expect(objects(out).map(told)).toEqual([
      [expect.stringContaining('no luck'), true],
      ['to both', false],
    ])
  })

  test('/retry is waited for before the next line, and its answer belongs to it', async () => {
    const model = scripted(
      { error: { reason: 'rejected', message: 'no luck' } },
      { delayMs: 100, reply: { text: 'now it works' } },
      { reply: { text: 'third' } },
    )
    const { out } = await run(['--json', ...model], { home: newHome(), input: 'one\n/retry\nthree\n' })
    expect(objects(out).map(told)).toEqual([
      [expect.stringContaining('no luck'), true],
      ['Trying again.\nnow it works', false],
      ['third', false],
    ])
  })
})

describe('branches at work at the end of the input', () => {
  test('are waited for, and what they say is printed', async () => {
    const model = scripted({ delayMs: 400, reply: { text: 'found it' } })
    const { code, out } = await run(model, { home: newHome(), input: '/fork -- look for it\n' })
    expect(code).toBe(0)
    expect(out).toMatch(/^Forked. Child: (\w{6})\n\1 finished: found it\n$/)
  })

  test('but only so long; then they go on at the next start', async () => {
    const home = newHome()
    const args = [...scripted(slow('never')), '--wait', '0.2']
    const { code, out, err } = await run(args, { home, input: '/fork -- look for it\n' })
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/^Forked. Child: \w{6}\n$/) as string,
    })
    expect(err).toContain('Still working: 1 branch.')
    const next = await run(scripted({ reply: { text: 'found it' } }), { home })
    expect(next.out).toMatch(/^\w{6} finished: found it\n$/)
  })
})

describe('whatever happens to the process', () => {
  test('what nobody read any more is not lost: the next start prints it first, and once', async () => {
    const home = newHome()
    const { child, err, ended } = running([], home)
    child.stdout?.destroy()
    child.stdin?.write('who are you\n')
    expect(await ended).toEqual([0, null])
    expect(err()).not.toContain('EPIPE')
    const next = await run([], { home, input: 'thanks\n' })
    expect(next.out).toMatch(/^I'm the offline [^\n]*\nYou're welcome\.\n$/)
    expect((await run([], { home })).out).toBe('')
  })

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    '%s ends it well with %i, and the question is answered at the next start',
    async (signal, code) => {
      const home = newHome()
      const { child, out, ended } = running([...scripted(slow('never')), '-p', 'are you slow'], home)
      const isCalled = async () => (await eventsOf(home)).some(({ kind }) => kind === 'model-called')
      await expect.poll(isCalled).toBe(true)
      child.kill(signal)
      expect(await ended).toEqual([code, null])
      expect(out()).toBe('')
      const next = await run(['--json', ...scripted({ reply: { text: 'not any more' } })], { home })
      expect(objects(next.out)).toEqual([
        {
          event: {
            form: 'answer',
            text: 'not any more',
            branch: 'main',
            turn: expect.stringMatching(/^tn_/) as string,
          },
        },
      ])
    },
  )

  test('[LOG4] while another process has the log, it is named, exit code 3', async () => {
    const home = newHome()
    const writer = await openOtherWriter(home)
    const ways = [['-p', 'hello'], []].map((args) =>
      run([...args, '--timeout', '0'], { home, input: 'hello\n' }),
    )
    for (const { code, out, err } of await Promise.all(ways)) {
      expect({ code, out }).toEqual({ code: 3, out: '' })
      expect(err).toContain(`in use by 'other writer' (process ${writer.pid}`)
    }
  })

  test('a broken config.json starts nothing and is not touched', async () => {
    const home = tempFolder()
    writeFileSync(join(home, 'config.json'), '{ "model": }')
    const { code, out, err } = await run(['-p', 'hello'], { home })
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain(join(home, 'config.json'))
    expect(readFileSync(join(home, 'config.json'), 'utf8')).toBe('{ "model": }')
  })
})

test('a summary that is on its way is waited for, so that it is not begun anew at every start', async () => {
  const home = newHome()
  const summariser = scripted({ delayMs: 400, reply: { text: 'What was said.' } }).at(-1)
  const window = [
    'historyWindow=2',
    'compactionThreshold=3',
    'truncationLimit=90',
    'compactionShare=0',
    `compactionModel=${summariser}`,
  ]
  const set = window.flatMap((value) => ['--set', value])
  await run([...set, '-p', 'hello one'], { home })
  expect(await run([...set, '-p', 'hello two'], { home })).toMatchObject({ code: 0 })
  const kinds = (await eventsOf(home)).map(({ kind }) => kind)
  expect(kinds.filter((kind) => kind === 'context-compacted')).toHaveLength(1)
})
