import { setTimeout as sleep } from 'node:timers/promises'
import { fence } from '../../event/fence.ts'
import { CommandError, type World } from '../frame/command.ts'

/** The program's parent may have left an input open that nothing is ever written to. */
const FIRST_BYTE_MS = 3_000

/** The question with all of the piped input behind it. A command takes none. */
export async function withPiped(
  question: string,
  { input, err }: Pick<World, 'input' | 'err'>,
): Promise<string> {
  if (input.isTTY === true || (await isCommand(question))) return question
  const chunks = input[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  const all: Uint8Array[] = []
  try {
    const first = await Promise.race([chunks.next(), sleep(FIRST_BYTE_MS, undefined, { ref: false })])
    if (first === undefined) await err.now(NOTHING_PIPED)
    for (let one = first; one !== undefined && one.done !== true; one = await chunks.next())
      all.push(one.value)
  } catch (error) {
    throw unreadable(error as Error)
  }
  const text = Buffer.concat(all).toString().trimEnd()
  return text === '' ? question : `${question}\n\n${fence('stdin', text)}`
}

const NOTHING_PIPED =
  'mainstem: Nothing came on standard input for 3 seconds, so the question is asked without it. < /dev/null skips this wait.'

export function unreadable({ message }: Error): CommandError {
  return new CommandError(`The standard input cannot be read: ${message}`)
}

/** Most questions are no commands, and the parser takes a moment to load. */
async function isCommand(question: string): Promise<boolean> {
  if (!question.includes('/')) return false
  const { isCommandLine } = await import('../../command/read/parse.ts')
  return isCommandLine(question.trimStart())
}
