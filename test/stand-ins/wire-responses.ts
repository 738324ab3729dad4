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

/** OpenAI's Responses. */
export const responsesWire: Wire = {
  contentType: 'text/event-stream',
  fits: (path) => path.endsWith('/responses'),
  stream(answer) {
    const opening = { id: 'resp_1', created_at: 1, model: 'gpt-stand-in', status: 'in_progress' }
    return [
      event('response.created', { response: opening }),
      event('response.in_progress', { response: opening }),
      ...answer.blocks.flatMap(blockEvents),
      ending(answer),
    ]
  },
  refusal: (trouble, words) => JSON.stringify({ error: errorOf(trouble, words) }),
  frame: (trouble, words) =>
    event('response.failed', {
      response: { id: 'resp_1', status: 'failed', error: errorOf(trouble, words), usage: null },
    }),
}

let sequence = 0

function event(type: string, data: object): string {
  return sse({ type, sequence_number: sequence++, ...data }, type)
}

function blockEvents(block: Block, output_index: number): string[] {
  const item = (state: 'added' | 'done', item: object) =>
    event(`response.output_item.${state}`, { output_index, item })
  if ('text' in block) {
    const message = { type: 'message', id: `msg_${output_index}`, role: 'assistant', status: 'completed' }
    const at = { item_id: message.id, output_index, content_index: 0 }
    const content = [{ type: 'output_text', text: block.text, annotations: [] }]
    return [
      item('added', { ...message, content: [] }),
      ...pieces(block.text).map((delta) => event('response.output_text.delta', { ...at, delta })),
      item('done', { ...message, content }),
    ]
  }
  if ('thinking' in block) {
    const id = `rs_${output_index}`
    const at = { item_id: id, output_index, summary_index: 0 }
    const summary = [{ type: 'summary_text', text: block.thinking }]
    return [
      item('added', { type: 'reasoning', id, summary: [], encrypted_content: '' }),
      event('response.reasoning_summary_part.added', { ...at, part: { type: 'summary_text', text: '' } }),
      ...pieces(block.thinking).map((delta) =>
        event('response.reasoning_summary_text.delta', { ...at, delta }),
      ),
      event('response.reasoning_summary_part.done', { ...at, part: summary[0] }),
      item('done', { type: 'reasoning', id, summary, encrypted_content: block.signature }),
    ]
  }
  const call = { type: 'function_call', id: `fc_${output_index}`, call_id: block.id, name: block.call }
  const at = { item_id: call.id, output_index }
  return [
    item('added', { ...call, arguments: '', status: 'in_progress' }),
    ...pieces(block.args).map((delta) => event('response.function_call_arguments.delta', { ...at, delta })),
    event('response.function_call_arguments.done', { ...at, arguments: block.args }),
    item('done', { ...call, arguments: block.args, status: 'completed' }),
  ]
}

function ending(answer: Answer): string {
  const { in: input_tokens, out: output_tokens, cached } = answer.usage ?? defaultUsage
  const usage = {
    input_tokens,
    input_tokens_details: { cached_tokens: cached },
    output_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input_tokens + output_tokens,
  }
  const finish = finishOf(answer)
  const cutBy = { length: 'max_output_tokens', refused: 'content_filter', stop: '', calls: '' }[finish]
  const status = cutBy === '' ? 'completed' : 'incomplete'
  const incomplete_details = cutBy === '' ? null : { reason: cutBy }
  return event(`response.${status}`, { response: { id: 'resp_1', status, incomplete_details, usage } })
}

function errorOf(trouble: Trouble, words: string): object {
  const [code, type, message] = {
    overflow: [
      'context_length_exceeded',
      'invalid_request_error',
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
    ],
    overloaded: ['server_error', 'server_error', 'The server had an error while processing your request.'],
    unauthorised: ['invalid_api_key', 'invalid_request_error', 'Incorrect API key provided: sk-te**key.'],
    'unknown-model': ['model_not_found', 'invalid_request_error', "The model 'gpt-nonesuch' does not exist"],
    'rate-limited': ['rate_limit_exceeded', 'requests', 'Rate limit reached for gpt-stand-in'],
    other: [null, 'invalid_request_error', words],
  }[trouble] as [string | null, string, string]
  return { code, type, message, param: null }
}
