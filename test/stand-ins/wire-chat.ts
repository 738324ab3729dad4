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

/** OpenAI's Chat Completions as local servers speak it, with thoughts as a field of their own. */
export const chatWire: Wire = chatLike({
  fits: (path) => path.endsWith('/chat/completions') && !path.includes('/openrouter/'),
  thought: (text) => ({ reasoning_content: text }),
  signature: () => undefined,
})

/** The same as OpenRouter speaks it, with signed thoughts. */
export const openrouterWire: Wire = chatLike({
  fits: (path) => path.includes('/openrouter/'),
  thought: (text) => ({
    reasoning: text,
    reasoning_details: [{ type: 'reasoning.text', text, format: 'anthropic-claude-v1', index: 0 }],
  }),
  signature: (signature) => ({
    reasoning_details: [{ type: 'reasoning.text', signature, format: 'anthropic-claude-v1', index: 0 }],
  }),
})

function chatLike(own: {
  fits: Wire['fits']
  thought: (text: string) => object
  signature: (signature: string) => object | undefined
}): Wire {
  const deltas = (block: Block, index: number): object[] => {
    if ('text' in block) return pieces(block.text).map((content) => ({ content }))
    if ('thinking' in block) {
      const signature = own.signature(block.signature)
      return [...pieces(block.thinking).map(own.thought), ...(signature ? [signature] : [])]
    }
    const call = (more: object) => ({ tool_calls: [{ index, ...more }] })
    const begun = call({ id: block.id, type: 'function', function: { name: block.call, arguments: '' } })
    return [begun, ...pieces(block.args).map((args) => call({ function: { arguments: args } }))]
  }
  return {
    contentType: 'text/event-stream',
    fits: own.fits,
    stream(answer) {
      let calls = 0
      return [
        chunk({ role: 'assistant', content: '' }),
        ...answer.blocks
          .flatMap((block) => deltas(block, 'call' in block ? calls++ : 0))
          .map((delta) => chunk(delta)),
        chunk({}, finishReason(answer)),
        sse({ ...head, choices: [], usage: usageOf(answer) }),
        sse('[DONE]'),
      ]
    },
    refusal: (trouble, words) => JSON.stringify({ error: errorOf(trouble, words) }),
    frame: (trouble, words) => sse({ error: errorOf(trouble, words) }),
  }
}

const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'stand-in' }

function chunk(delta: object, finish_reason: string | null = null): string {
  return sse({ ...head, choices: [{ index: 0, delta, finish_reason }] })
}

function finishReason(answer: Answer): string {
  return { stop: 'stop', calls: 'tool_calls', length: 'length', refused: 'content_filter' }[finishOf(answer)]
}

function usageOf({ usage = defaultUsage }: Answer): object {
  return {
    prompt_tokens: usage.in,
    completion_tokens: usage.out,
    total_tokens: usage.in + usage.out,
    prompt_tokens_details: { cached_tokens: usage.cached },
  }
}

function errorOf(trouble: Trouble, words: string): object {
  const [code, message] = {
    overflow: [400, "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens"],
    overloaded: [503, 'no instance is free'],
    unauthorised: [401, 'No auth credentials found'],
    'unknown-model': [404, 'The model `nonesuch` does not exist.'],
    'rate-limited': [429, 'Rate limit exceeded'],
    other: [400, words],
  }[trouble] as [number, string]
  return { code, message, type: 'BadRequestError' }
}
