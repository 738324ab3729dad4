import {
  type Answer,
  type Block,
  defaultUsage,
  finishOf,
  pieces,
  sse,
  type Trouble,
  type Wire,
} from './model-answer.ts'

/** Anthropic's Messages. */
export const anthropicWire: Wire = {
  contentType: 'text/event-stream',
  fits: (path) => path.endsWith('/messages'),
  stream(answer) {
    const usage = answer.usage ?? defaultUsage
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-stand-in',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: usage.in - usage.cached - usage.written,
        cache_read_input_tokens: usage.cached,
        cache_creation_input_tokens: usage.written,
        output_tokens: 1,
      },
    }
    return [
      event({ type: 'message_start', message }),
      event({ type: 'ping' }),
      ...answer.blocks.flatMap(blockEvents),
      event({
        type: 'message_delta',
        delta: { stop_reason: stopReason(answer), stop_sequence: null },
        usage: { output_tokens: usage.out },
      }),
      event({ type: 'message_stop' }),
    ]
  },
  refusal: (trouble, words) => JSON.stringify(errorOf(trouble, words)),
  frame: (trouble, words) => event(errorOf(trouble, words)),
}

function event(data: { type: string; [field: string]: unknown }): string {
  return sse(data, data.type)
}

function blockEvents(block: Block, index: number): string[] {
  const start = (content_block: unknown) => event({ type: 'content_block_start', index, content_block })
  const delta = (delta: unknown) => event({ type: 'content_block_delta', index, delta })
  const stop = event({ type: 'content_block_stop', index })
  if ('text' in block) {
    const deltas = pieces(block.text).map((text) => delta({ type: 'text_delta', text }))
    return [start({ type: 'text', text: '' }), ...deltas, stop]
  }
  if ('thinking' in block) {
    const deltas = pieces(block.thinking).map((thinking) => delta({ type: 'thinking_delta', thinking }))
    const signature = delta({ type: 'signature_delta', signature: block.signature })
    return [start({ type: 'thinking', thinking: '', signature: '' }), ...deltas, signature, stop]
  }
  const deltas = pieces(block.args).map((json) => delta({ type: 'input_json_delta', partial_json: json }))
  return [start({ type: 'tool_use', id: block.id, name: block.call, input: {} }), ...deltas, stop]
}

function stopReason(answer: Answer): string {
  return { stop: 'end_turn', calls: 'tool_use', length: 'max_tokens', refused: 'refusal' }[finishOf(answer)]
}

function errorOf(
  trouble: Trouble,
  words: string,
): { type: string; error: { type: string; message: string } } {
  const [type, message] = {
    overflow: ['invalid_request_error', 'prompt is too long: 214315 tokens > 200000 maximum'],
    overloaded: ['overloaded_error', 'Overloaded'],
    unauthorised: ['authentication_error', 'invalid x-api-key'],
    'unknown-model': ['not_found_error', 'model: claude-nonesuch'],
    'rate-limited': ['rate_limit_error', 'Number of requests has exceeded your per-minute rate limit'],
    other: ['invalid_request_error', words],
  }[trouble] as [string, string]
  return { type: 'error', error: { type, message } }
}
