import type { Key } from '../../config/table/settings.ts'
import { CommandError, UsageError } from '../frame/command.ts'
import type { TalkCall } from './live.ts'

/** `mainstem` without a command: one question, the chat on a terminal, or line by line. */
export async function talk(call: TalkCall): Promise<number> {
  if (call.model !== undefined) await checkFlag('model', call.model, UsageError)
  if (call.input.isTTY !== true) await requireRights(call)
  if (call.question !== undefined) return (await import('./batch.ts')).ask(call, call.question)
  const isTerminal = call.input.isTTY === true && call.out.isTerminal
  if (isTerminal && call.form === 'text') return (await import('./chat.ts')).chat(call)
  return (await import('./batch.ts')).batch(call)
}

/** What a pipe may not set for good, it may not set for this time either (RIGHT1). */
async function requireRights({ flags, isSure }: TalkCall): Promise<void> {
  const { findKey, specOf } = await import('../../config/table/key.ts')
  const { MODEL_FLAG } = await import('../../config/table/source.ts')
  const { refusedHere } = await import('../../command/read/rights.ts')
  for (const [word, text] of Object.entries(flags)) {
    const key = word === MODEL_FLAG ? 'model' : findKey(word)
    const json = key && specOf(key).type.fromText(text)
    const because = key && refusedHere(isSure ? 'program --yes' : 'program', { key, json })
    if (because !== undefined) throw new CommandError(because)
  }
}

/** Checked here so that the error names the option: the configuration would name `--set`. */
export async function checkFlag(
  key: Key,
  text: string,
  Wrong: typeof CommandError | typeof UsageError = CommandError,
): Promise<void> {
  const { specOf } = await import('../../config/table/key.ts')
  const { refusedValue } = await import('../../config/table/wording.ts')
  const { type } = specOf(key)
  const json = type.fromText(text)
  if (!type.schema.safeParse(json).success) throw new Wrong(`--${key}: ${refusedValue(key, json)}`)
}
