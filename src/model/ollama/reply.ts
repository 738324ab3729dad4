import { isJsonObject, parsedJson, type JsonObject } from '../../base/json.ts'
import type { Random } from '../../base/random.ts'
import { fault, faultOfComplaint, type Scene } from '../contract/fault.ts'
import { type Reply, type ReplyCall, replyCall } from '../contract/model.ts'
import { startThinkTag } from '../contract/think-tag.ts'
import type { Watch } from '../contract/watch.ts'

/** Joins the stream of `POST /api/chat`: one JSON object per line, the last one `done`. */
export async function readChat(
  lines: AsyncIterable<string>,
  options: Pick<Watch, 'hear'> & { scene: Scene; random: Random; onText: (piece: string) => void },
): Promise<Reply> {
  const { scene, random, onText } = options
  const thinkTag = startThinkTag()
  let text = ''
  let thinking = ''
  const calls: ReplyCall[] = []
  const tell = (piece: string): void => {
    if (piece !== '') onText(piece)
    text += piece
  }
  for await (const line of lines) {
    const chunk = parsed(line, scene)
    const message = objectIn(chunk, 'message')
    tell(thinkTag.take(stringIn(message, 'content')))
    thinking += stringIn(message, 'thinking')
    options.hear(stringIn(message, 'content') + stringIn(message, 'thinking'))
    const made = message['tool_calls']
    // One by one: a hundred thousand arguments overflow the stack.
    if (Array.isArray(made)) for (const call of made.filter(isJsonObject)) calls.push(readCall(call, random))
    if (chunk['done'] !== true) continue
    const isCut = chunk['done_reason'] === 'length'
    const tagged = thinkTag.end(isCut || calls.length > 0)
    tell(tagged.text)
    const own = thinking === '' ? [] : [{ text: thinking, data: { model: scene.model } }]
    return {
      text,
      reasoning: [...own, ...tagged.reasoning],
      calls,
      finish: isCut ? 'length' : calls.length > 0 ? 'calls' : 'stop',
      usage: {
        tokensIn: numberIn(chunk, 'prompt_eval_count'),
        tokensOut: numberIn(chunk, 'eval_count'),
        tokensCached: 0,
        tokensCacheWritten: 0,
      },
    }
  }
  throw fault('cut-off', scene)
}

/** Splits bytes into lines, however the network split them. */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of bytes) {
    const text = decoder.decode(chunk, { stream: true })
    const lines = text.includes('\n') ? (rest + text).split('\n') : [rest + text]
    rest = lines.pop() ?? ''
    yield* lines.filter((line) => line.trim() !== '')
  }
  if (rest.trim() !== '') yield rest
}

function parsed(line: string, scene: Scene): JsonObject {
  const chunk = parsedJson(line)
  if (!isJsonObject(chunk)) throw fault('garbled', scene, { words: line.slice(0, 80) })
  const error = chunk['error']
  if (typeof error === 'string') throw faultOfComplaint({ words: error }, scene)
  return chunk
}

function readCall(call: JsonObject, random: Random): ReplyCall {
  const made = objectIn(call, 'function')
  const given = call['id']
  // Older servers give no id, and it must be unique in the conversation.
  const id = typeof given === 'string' && given !== '' ? given : `call_${hex(random())}${hex(random())}`
  const args = made['arguments']
  return replyCall(id, stringIn(made, 'name'), args === undefined ? {} : args)
}

function hex(bits: number): string {
  return bits.toString(16).padStart(8, '0')
}

function objectIn(from: JsonObject, key: string): JsonObject {
  const value = from[key]
  return value !== undefined && isJsonObject(value) ? value : {}
}

function stringIn(from: JsonObject, key: string): string {
  const value = from[key]
  return typeof value === 'string' ? value : ''
}

function numberIn(from: JsonObject, key: string): number {
  const value = from[key]
  return typeof value === 'number' ? value : 0
}
