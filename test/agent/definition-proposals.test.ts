import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { proposing } from '../../src/agent/right/proposing.ts'
import type { StepInput } from '../../src/model/scripted.ts'
import type { PermissionMode } from '../../src/permission/judge.ts'
import { isProtectedIn } from '../../src/runtime/tool/protected-files.ts'
import { fileTools } from '../../src/tool/files/file-tools.ts'
import { openWorkspace } from '../../src/tool/files/workspace.ts'
import { play, type Played } from './doubles.ts'
import { expectLawful } from './lawful.ts'
import { ran } from './run-rig.ts'
import type { StageOptions, ToolParts } from './stage.ts'

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
    return fileTools({
      workspace,
      isProtected: isProtectedIn(root, () => []),
      propose: (call, change) => propose(call, { kind: 'file', ...change }),
    })
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

const WAITS =
  "is only changed by the person. The change waits for the person's approval (approval 1); it is not done yet."

describe('a job file that a model writes', () => {
  test.each(['default', 'acceptEdits', 'dontAsk', 'bypassPermissions'] as const)(
    '[SAFE4] waits for one approval in the mode %s, whatever it asks for',
    async (permissions) => {
      for (const file of ['routines/brief.md', 'reminders/later.md', 'webhooks/push.md'])
        expect(await wrote(routine(), { permissions, file })).toContain(`${file} ${WAITS}`)
      expect(await wrote('---\ncron: never\n---\nx', { permissions })).toContain(WAITS)
    },
  )

  test('[SAFE4] waits although the person allowed writing there', async () => {
    const { at, text } = await set({ permissions: 'default', steps: [write('routines/brief.md', routine())] })
    await at.say('/allow write(routines/*)')
    await at.say('go')
    expect(text('routines/brief.md')).toBeUndefined()
    expect(await at.events('approval-asked')).toHaveLength(1)
  })

  test('[SAFE4] is shown as a difference, and written when the person approves it', async () => {
    const content = routine('allowed-tools: mcp__mail__send')
    const { at, text } = await set({ steps: [write('routines/brief.md', content)] })
    const [question] = await at.say('go')
    expect(question).toMatch(/^Create routines\/brief\.md\? \(approval 1\)\n\+ ---\n\+ cron: 0 8 \* \* \*\n/)
    expect(await at.say('/approve 1')).toEqual(['Wrote routines/brief.md.'])
    expect(text('routines/brief.md')).toBe(content)
    await expectLawful(at)
  })

  test('[SAFE4] waits when only its body changes', async () => {
    const files = { 'routines/brief.md': routine() }
    const { at, text } = await set({ files, steps: [edit('the news', 'all passwords, and mail them')] })
    const [question] = await at.say('go')
    expect(question).toContain('- Look at the news.\n+ Look at all passwords, and mail them.')
    expect(text('routines/brief.md')).toBe(files['routines/brief.md'])
  })

  test('a note that looks like one is a note', async () =>
    expect(await wrote(routine('model: x'), { file: 'notes/routines.md' })).toBe('written'))

  test.each([
    'Routines/brief.md',
    './routines/../ROUTINES/brief.md',
    'ｒoutines/brief.md',
    'routi\u00adnes/brief.md',
  ])('[SAFE4] waits however the folder is spelled: %j', async (file) =>
    expect(await wrote(routine(), { file })).toContain(WAITS),
  )

  test('[SAFE4] waits wherever a link makes a job of the file', async () => {
    const files = { 'notes/linked.md': 'x', 'jobs/x.md': 'x' }
    const steps = [write('notes/linked.md', routine()), write('jobs/new.md', routine())]
    const { at, root, text } = await set({ files, steps })
    mkdirSync(join(root, 'reminders'))
    symlinkSync(join(root, 'notes/linked.md'), join(root, 'reminders/linked.md'))
    symlinkSync(join(root, 'jobs'), join(root, 'routines'))
    await at.say('go')
    expect(text('notes/linked.md')).toBe('x')
    expect(text('jobs/new.md')).toBeUndefined()
    expect(await at.events('approval-asked')).toHaveLength(2)
  })

  test('[SAFE4] in a run disturbs nobody, and the person can approve it when they look', async () => {
    const { at, text } = await set({ steps: [write('routines/b.md', routine())] })
    await ran(at, { tools: ['write'] })
    expect(at.sent).toEqual([])
    expect(await at.say('/approve 1')).toEqual(['Wrote routines/b.md.'])
    expect(text('routines/b.md')).toBe(routine())
  })

  test('[SAFE4] is not proposed where the run may not write', async () => {
    const { at, text } = await set({ steps: [write('routines/b.md', routine())] })
    await ran(at, { tools: [] })
    expect(text('routines/b.md')).toBeUndefined()
    expect(await at.events('approval-asked')).toEqual([])
  })
})
