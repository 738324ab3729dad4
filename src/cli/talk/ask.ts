import { converse, lingered } from './batch.ts'
import type { TalkCall } from './live.ts'
import { answerPrinter, jsonPrinter } from './printer.ts'

/** Asks one question and prints the answer. */
export function ask(call: TalkCall, question: string): Promise<number> {
  const printer = call.form === 'json' ? jsonPrinter(call) : answerPrinter(call)
  return converse(call, { command: 'mainstem -p', printer }, async (conversation, signal) => {
    const outcome = await conversation.say(question, signal)
    // Who asks one question waits for its answer only, unless told otherwise.
    await lingered(conversation, { waitMs: call.waitMs ?? 0, err: call.err, signal })
    return outcome?.isFailed === false ? 0 : 1
  })
}
