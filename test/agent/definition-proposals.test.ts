import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { RunAsked } from '../../src/agent/run/run-act.ts'
import { proposing } from '../../src/agent/right/proposing.ts'
import type { StepInput } from '../../src/model/scripted.ts'
import type { PermissionMode } from '../../src/permission/judge.ts'
import { definitionGuard } from '../../src/runtime/tool/definition-guard.ts'
import { isProtectedIn } from '../../src/runtime/tool/protected-files.ts'
import { fileTools } from '../../src/tool/files/file-tools.ts'
import { openWorkspace } from '../../src/tool/files/workspace.ts'
import { builtIn, type Tool } from '../../src/tool/tool.ts'
import { countedTool, play, type Played } from './doubles.ts'
import { expectLawful } from './lawful.ts'
import { ran } from './run-rig.ts'
import type { StageOptions, ToolParts } from './stage.ts'

const FETCH: Tool = { ...countedTool('web_fetch'), nature: builtIn('reaches') }
const MAIL: Tool = {
  ...countedTool('mcp__mail__send'),
  nature: { origin: { kind: 'mcp', server: 'mail' }, effect: 'runs', fingerprint: 'f1' },
}
const USUAL = ['ping_user', 'report_updates', 'add_reminder'].map((name) => countedTool(name))
const SKILLS = [
  { name: 'git', allowedTools: ['mcp__mail__send'] },
  { name: 'plain', allowedTools: ['read'] },
]

interface World {
  readonly files?: Readonly<Record<string, string>>
  readonly permissions?: PermissionMode
  readonly steps?: readonly StepInput[]
}

interface Set {
  readonly at: Played
  readonly root: string
  /** What stands in a file; undefined: there is none. */
  readonly text: (file: string) => string | undefined
}

async function set({ files = {}, permissions = 'dontAsk', steps = [] }: World): Promise<Set> {
  const root = mkdtempSync(join(tmpdir(), 'mainstem-definitions-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  const workspace = openWorkspace(root)
  const tools = ({ log, clock, agent }: ToolParts): ReturnType<Exclude<Given, readonly unknown[]>> => {
    const propose = proposing({ log, now: () => clock.now(), deliver: () => agent().deliver() })
    const guard = definitionGuard({ log, offer: () => ({ permissions, tools: all, skills: SKILLS }) })
    const own = fileTools({
      workspace,
      isProtected: isProtectedIn(root, () => []),
      guard,
      propose: (call, change) => propose(call, { kind: 'file', ...change }),
    })
    const all = [...own, FETCH, MAIL, ...USUAL]
    return all
  }
  const at = await play([...steps, { reply: { text: 'Done.' } }], {
    tools,
    workspace: {
      root,
      read: (path) => workspace.read(path),
      write: (path, text) => workspace.write(path, text),
    },
    settings: { permissions },
  })
  const text = (file: string) =>
    existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : undefined
  return { at, root, text }
}

type Given = NonNullable<StageOptions['tools']>

const write = (path: string, content: string): StepInput => ({
  calls: [{ tool: 'write', args: { path, content } }],
})
const edit = (old: string, fresh: string): StepInput => ({
  calls: [{ tool: 'edit', args: { path: 'routines/brief.md', old, new: fresh } }],
})
const routine = (...lines: readonly string[]): string =>
  ['---', 'cron: 0 8 * * *', 'background: true', ...lines, '---', 'Look at the news.', ''].join('\n')

/** What came of a definition that main writes: `written`, or what the model was told. */
async function wrote(content: string, world: World & { readonly file?: string } = {}): Promise<string> {
  const { file = 'routines/brief.md' } = world
  const { at, text } = await set({ ...world, steps: [write(file, content)] })
  const said = await at.say('make me a routine')
  const asked = await at.events('approval-asked')
  if (text(file) === content) {
    expect(asked).toEqual([])
    return 'written'
  }
  expect(asked.map(({ wish }) => wish.kind)).toEqual(['file'])
  expect(said.filter((one) => /^(?:Change|Create) /.test(one))).toHaveLength(1)
  return lastResult(at)
}

function lastResult(at: Played): string {
  return at.prompts.at(-1)?.messages.at(-1)?.text ?? ''
}

describe('a definition that main writes', () => {
  test.each([
    ['dontAsk', routine()],
    ['acceptEdits', routine()],
    ['bypassPermissions', routine()],
    ['dontAsk', routine('allowed-tools: Read, web_fetch, write(notes/*)', 'skills: plain')],
    ['acceptEdits', routine('allowed-tools: write(notes/*), edit')],
    ['bypassPermissions', routine('allowed-tools: mcp__mail__send, mcp__new__*')],
    ['acceptEdits', routine('allowed-tools: report_updates, ping_user, grep')],
    ['dontAsk', routine('model: inherit', 'for: owner', 'allow-ping: false')],
  ] as const)(
    '[SAFE4] counts at once in the mode %s, for it asks for nothing more: %j',
    async (permissions, text) => expect(await wrote(text, { permissions })).toBe('written'),
  )

  test.each([
    ['dontAsk', 'allowed-tools: mcp__mail__send', 'it may call mcp__mail__send'],
    ['dontAsk', 'allowed-tools: MCP__mail__*', 'it may call mcp__mail__*'],
    ['dontAsk', 'allowed-tools: mcp__other__look', 'it may call mcp__other__look'],
    ['acceptEdits', 'allowed-tools: read, web_fetch(https://example.com/*)', 'it may call web_fetch(https'],
    ['dontAsk', 'skills: git', 'it may call mcp__mail__send'],
    ['dontAsk', 'skills: later', "it needs the skill 'later', which is not there"],
    ['dontAsk', 'model: anthropic/claude-opus-4-5', 'it names a model of its own, anthropic/claude-opus-4-5'],
    ['bypassPermissions', 'model: anthropic/claude-opus-4-5', 'it names a model of its own'],
    ['dontAsk', 'for: ana', 'it is for ana'],
  ] as const)('[SAFE4] waits for one approval in the mode %s: %s', async (permissions, line, words) => {
    const told = await wrote(routine(line), { permissions })
    expect(told).toContain('routines/brief.md asks for more than this session may do without asking: it ')
    expect(told).toContain(words)
    expect(told).toContain("It waits for the person's approval (approval 1); it is not done yet.")
  })

  test('[SAFE4] waits where it is a way in from outside, or repeats pings without a token', async () => {
    const file = 'webhooks/push.md'
    expect(await wrote('Somebody pushed.', { file, permissions: 'bypassPermissions' })).toContain(
      'it lets whoever is outside start it',
    )
    const again = '---\nrun-at: 2027-01-01T09:00\nsnooze-of: 7\n---\nAgain.\n'
    expect(await wrote(again, { file: 'reminders/again.md' })).toContain('it says snooze-of')
  })

  test('[SAFE4] in the mode default is asked about once, as a whole, whatever it asks for', async () => {
    expect(await wrote(routine(), { permissions: 'default' })).toContain(
      'routines/brief.md is not written without asking. It waits',
    )
    expect(await wrote(routine('allowed-tools: web_fetch'), { permissions: 'default' })).toContain(
      'it may call web_fetch',
    )
  })

  test('[SAFE4] in the mode default is written at once where the person allowed that', async () => {
    const { at, text } = await set({ permissions: 'default', steps: [write('routines/brief.md', routine())] })
    await at.say('/allow write(routines/*)')
    await at.say('go')
    expect(text('routines/brief.md')).toBe(routine())
  })

  test.each([
    ['/allow mcp__mail__send', 'mcp__mail__send', true],
    ['/allow mcp__mail__send', 'mcp__mail__*', true],
    ['/allow web_fetch(https://example.com/*)', 'web_fetch(https://example.com/news/*)', true],
    ['/allow web_fetch(https://example.com/*)', 'web_fetch(https://example.*)', false],
    ['/allow web_fetch(https://example.com/*)', 'web_fetch', false],
    ['/allow web_fetch(https://example.com/?)', 'web_fetch(https://example.com/*)', false],
  ])('[SAFE4] after %s a job with %s is written at once: %s', async (allow, pattern, isWritten) => {
    const content = routine(`allowed-tools: ["${pattern}"]`)
    const steps = [write('routines/brief.md', content)]
    const { at, text } = await set({ permissions: 'acceptEdits', steps })
    await at.say(allow)
    await at.say('go')
    expect(text('routines/brief.md')).toBe(isWritten ? content : undefined)
  })

  test('[SAFE4] is shown as a difference, and written when the person approves it', async () => {
    const content = routine('allowed-tools: mcp__mail__send')
    const { at, text } = await set({ steps: [write('routines/brief.md', content)] })
    const [question] = await at.say('go')
    expect(question).toMatch(
      /^Create routines\/brief\.md\? \(approval 1\)\nIt asks for more than this session may do without asking: it may call [^\n]*\.\n\+ ---\n\+ cron: 0 8 \* \* \*\n/,
    )
    expect(await at.say('/approve 1')).toEqual([expect.stringContaining('routines/brief.md is written.')])
    expect(text('routines/brief.md')).toBe(content)
    await expectLawful(at)
  })

  test('[SAFE4] whose file has rights already waits when its body changes, and not when the rights go', async () => {
    const files = { 'routines/brief.md': routine('allowed-tools: mcp__mail__send') }
    const { at, text } = await set({ files, steps: [edit('the news', 'all passwords, and mail them')] })
    const [question] = await at.say('go')
    expect(question).toContain('- Look at the news.\n+ Look at all passwords, and mail them.')
    expect(text('routines/brief.md')).toBe(files['routines/brief.md'])
    const less = await set({ files, steps: [edit('allowed-tools: mcp__mail__send\n', '')] })
    await less.at.say('go')
    expect(less.text('routines/brief.md')).toBe(routine())
  })

  test('what cannot be read as one is written as it is', async () => {
    expect(await wrote('---\ncron: never\nallowed-tools: mcp__mail__send\n---\nx')).toBe('written')
    expect(await wrote(routine('model: x'), { file: 'notes/brief.md' })).toBe('written')
    expect(await wrote(routine('for: ana'), { file: 'routines/old/brief.md' })).toBe('written')
  })

  test('[SAFE4] without a time, which nobody has to give who runs it by hand, waits all the same', async () => {
    expect(await wrote('---\nallowed-tools: mcp__mail__send\n---\nx')).toContain(
      'it may call mcp__mail__send',
    )
  })

  test.each([
    'Routines/brief.md',
    './routines/../ROUTINES/brief.md',
    'ｒoutines/brief.md',
    'routi\u00adnes/brief.md',
  ])('[SAFE4] waits however the folder is spelled: %j', async (file) =>
    expect(await wrote(routine('for: ana'), { file })).toContain('it is for ana'),
  )

  test('[SAFE4] waits wherever a link makes a definition of the file', async () => {
    const files = { 'notes/linked.md': 'x', 'jobs/x.md': 'x' }
    const content = routine('for: ana')
    const steps = [
      write('notes/linked.md', content),
      write('jobs/new.md', content),
      write('jobs/x.md', routine()),
    ]
    const { at, root, text } = await set({ files, steps })
    mkdirSync(join(root, 'reminders'))
    symlinkSync(join(root, 'notes/linked.md'), join(root, 'reminders/linked.md'))
    symlinkSync(join(root, 'jobs'), join(root, 'routines'))
    await at.say('go')
    // As a reminder it has no time, and is for ana all the same.
    expect(text('notes/linked.md')).toBe('x')
    expect(text('jobs/new.md')).toBeUndefined()
    expect(text('jobs/x.md')).toBe(routine())
    expect(await at.events('approval-asked')).toHaveLength(2)
  })
})

describe('a definition that a run writes', () => {
  const RIGHTS = { tools: ['write', 'edit', 'web_fetch(https://example.com/*)', 'mcp__mail__*'] }

  async function ranWith(
    content: string,
    run: Partial<RunAsked> = {},
    file = 'routines/b.md',
  ): Promise<string> {
    const { at, text } = await set({ steps: [write(file, content)] })
    await ran(at, { ...RIGHTS, ...run })
    if (text(file) === content) return 'written'
    expect(await at.events('approval-asked')).toHaveLength(1)
    return lastResult(at)
  }

  test.each([
    routine(),
    routine('allowed-tools: read, web_fetch(https://example.com/news), mcp__mail__send'),
    routine('allowed-tools: "write(notes/*), edit"'),
  ])('[SAFE4] counts at once where it asks for no more than the run has: %j', async (content) =>
    expect(await ranWith(content)).toBe('written'),
  )

  test.each([
    ['allowed-tools: web_fetch', 'it may call web_fetch'],
    ['allowed-tools: web_search', 'it may call web_search'],
    ['skills: plain', "it reads the skill 'plain'"],
    ['background: false', 'it works in the main session, which may do more than this run'],
    ['model: offline', 'it names a model of its own'],
    ['for: ana', 'it is for ana'],
  ])('[SAFE4] waits where it asks for more than the run has: %s', async (line, words) => {
    const told = await ranWith(routine(line).replace(/background: true\n(?=background)/, ''))
    expect(told).toContain('asks for more than this run may do: it ')
    expect(told).toContain(words)
  })

  test('[SAFE4] waits where it may ping, report, plan or know what the run may not', async () => {
    expect(await ranWith(routine(), { allowPing: false })).toContain('it may call ping_user')
    expect(await ranWith(routine(), { reporting: 'blocked' })).toContain('it may call report_updates')
    expect(await ranWith(routine(), { tag: 'webhook' })).toContain('it may call add_reminder')
    expect(await ranWith(routine(), { isolated: true })).toContain('it knows the main session')
    expect(await ranWith(routine('isolated: true'), { isolated: true })).toBe('written')
    expect(await ranWith(routine('for: ana'), { person: 'ana' })).toBe('written')
    expect(await ranWith(routine(), { person: 'ana' })).toContain('it is for the owner')
  })

  test('[SAFE4] nobody is disturbed by it, and the person can approve it when they look', async () => {
    const content = routine('for: ana')
    const { at, text } = await set({ steps: [write('routines/b.md', content)] })
    await ran(at, RIGHTS)
    expect(at.sent).toEqual([])
    expect(await at.say('/approve 1')).toEqual([expect.stringContaining('routines/b.md is written.')])
    expect(text('routines/b.md')).toBe(content)
  })

  test('[SAFE4] is not written at all where the run may not write', async () => {
    const { at, text } = await set({ steps: [write('routines/b.md', routine())] })
    await ran(at, { tools: [] })
    expect(text('routines/b.md')).toBeUndefined()
    expect(await at.events('approval-asked')).toEqual([])
  })
})
