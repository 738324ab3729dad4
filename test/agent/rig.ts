import { expect } from 'vitest'
import { boundBranch, newMain } from '../../src/agent/branch/binding.ts'
import { getBranch } from '../../src/context/branch.ts'
import { handleOf, type BranchId } from '../../src/event/id.ts'
import type { Prompt, PromptMessage } from '../../src/event/prompt.ts'
import type { Address } from '../../src/event/work.ts'
import type { Reply } from '../../src/model/contract/model.ts'
import { gate, modelFault, ruleModel, type Gate, type RuleModel, type Said } from './doubles.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { breathe, stage, terminal, type Stage, type StageOptions } from './stage.ts'

export interface Ruled extends Stage {
  readonly model: RuleModel
}

/** A stage whose model answers by what it is shown. */
export async function ruled(
  rule: (prompt: Prompt, signal: AbortSignal) => Said | Promise<Said>,
  options: StageOptions = {},
): Promise<Ruled> {
  const model = ruleModel(rule)
  const settings = { model: 'ruled', ...options.settings }
  const at = await stage({ ...options, models: { ruled: model, ...options.models }, settings })
  return Object.assign(at, { model })
}

/** The process ends where it is; the disk and the clock stay. */
export async function ended(at: Stage): Promise<Pick<StageOptions, 'disk' | 'clock'>> {
  await at.close()
  await at.log.close()
  return { disk: at.disk, clock: at.clock }
}

/** Lines typed one after the other, each with all that came back until nothing was left to do. */
export async function dialogue(
  at: Stage,
  lines: readonly (readonly [string, ...(string | RegExp)[]])[],
): Promise<void> {
  for (const [line, ...said] of lines) {
    const expected = said.map((text) => (typeof text === 'string' ? text : expect.stringMatching(text)))
    expect([line, ...(await at.say(line))]).toEqual([line, ...expected])
  }
  await expectLawful(at)
  await expectEmpty(at.log)
}

/** A call of the slash tool, as a reply has it. */
export function slash(command: string, args?: string): Reply['calls'][number] {
  return { id: 'x', tool: 'slash', args: { command, ...(args !== undefined && { args }) } }
}

/** Lets a guest in, as pairing does, with a main session that their conversation is bound to. */
export function addGuest(
  { log, clock }: Pick<Stage, 'log' | 'clock'>,
  { person, channel, conversation }: Required<Address>,
  role: 'guest' | 'group' = 'guest',
): Promise<BranchId> {
  const contact = { at: clock.now(), seed: person.length }
  const author = { by: 'person' } as const
  return log.write((writing) => {
    const main = newMain(writing, contact)
    const head = { branch: main, at: contact.at, v: 1, author } as const
    writing.append({ kind: 'person-added', ...head, person, name: person, role, main })
    writing.append({ kind: 'conversation-bound', ...head, channel, conversation })
    return main
  })
}

/** What stands last in a prompt, without the head that the host wrote and without the tail. */
export function lastText({ messages }: Prompt): string {
  return bare(messages.findLast((message) => !isTail(message)))
}

function isTail({ text }: PromptMessage): boolean {
  return text.startsWith('(You have ')
}

export function bare(message: PromptMessage | undefined): string {
  const text = message?.text ?? ''
  return message?.role === 'user' ? text.replace(/^(?:(?:\[[^\]\n]*\]|\([^\n]*\))\n+)+/, '') : text
}

/** Texts of the user's role, without their heads. */
export function said(prompt: Prompt | undefined): string[] {
  const messages = prompt?.messages ?? []
  return messages.filter((message) => message.role === 'user' && !isTail(message)).map(bare)
}

/** The results behind the last step, as a model reads them. */
export function results({ messages }: Prompt): { text?: string; error?: string }[] {
  const step = messages.findLastIndex(({ role }) => role !== 'tool')
  return messages.slice(step + 1).map(({ text }) => JSON.parse(text) as { text?: string; error?: string })
}

/** Whether the prompt is of a child: it has been told so. */
export function isChilds({ messages }: Prompt): boolean {
  return messages.some(({ role, text }) => role === 'user' && text.startsWith('[fork-started]'))
}

/** Handles of the children, oldest first. */
export async function children(at: Stage): Promise<string[]> {
  const created = await at.events('branch-created')
  return created.filter(({ parent }) => parent !== null).map(({ branch }) => handleOf(branch))
}

export async function child(at: Stage): Promise<string> {
  const handle = (await children(at)).at(-1)
  if (handle === undefined) throw new Error('there is no child')
  return handle
}

export async function idOf(at: Stage, handle: string): Promise<BranchId> {
  const created = await at.events('branch-created')
  const found = created.find(({ branch }) => handleOf(branch) === handle)
  if (found === undefined) throw new Error(`there is no ${handle}`)
  return found.branch
}

export async function stateOf(at: Stage, handle: string): Promise<string> {
  const id = await idOf(at, handle)
  const { state } = await at.read((reader) => getBranch(reader, id))
  return state.kind === 'ended' ? state.reason : state.kind
}

/** The handle of the branch that the terminal talks to. */
export function talkedTo(at: Stage): Promise<string> {
  return at.read((reader) => {
    const branch = boundBranch(reader, terminal)
    return branch === undefined ? 'nobody' : handleOf(branch)
  })
}

/** A model's call that waits until the test lets it go on; it stops when it is told to. */
export function slowly(answer: Said): {
  readonly begun: Gate
  readonly go: Gate
  reply(signal: AbortSignal): Promise<Said>
} {
  const begun = gate()
  const go = gate()
  return {
    begun,
    go,
    reply: async (signal) => {
      begun.open()
      await Promise.race([go.opened, stopped(signal)])
      return answer
    },
  }
}

/** Rejects as a model does when it is told to stop, and not before. */
export function stopped(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => reject(modelFault('aborted'))
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop)
  })
}

/** Types and lets everything run that needs no waiting; a turn may still be running. */
export async function typed(at: Stage, text: string): Promise<string[]> {
  const before = at.sent.length
  await at.type(text)
  await breathe()
  return at.sent.slice(before).map((message) => message.text)
}
