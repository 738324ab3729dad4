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

/** Google's streamGenerateContent. */
export const googleWire: Wire = {
  contentType: 'text/event-stream',
  fits: (path) => path.includes(':streamGenerateContent'),
  stream(answer) {
    const { in: input, out, cached } = answer.usage ?? defaultUsage
    const usageMetadata = {
      promptTokenCount: input,
      candidatesTokenCount: out,
      totalTokenCount: input + out,
      cachedContentTokenCount: cached,
    }
    const last = { ...content([]), finishReason: finishReason(answer) }
    return [
      ...answer.blocks.flatMap(partsOf).map((part) => sse({ candidates: [content([part])] })),
      sse({ candidates: [last], usageMetadata, modelVersion: 'gemini-stand-in' }),
    ]
  },
  refusal: (trouble, words) => JSON.stringify({ error: errorOf(trouble, words) }),
  frame: (trouble, words) => sse({ error: errorOf(trouble, words) }),
}

function content(parts: object[]): object {
  return { content: { role: 'model', parts }, index: 0 }
}

function partsOf(block: Block): object[] {
  if ('text' in block) return pieces(block.text).map((text) => ({ text }))
  if ('thinking' in block) {
    const thoughts = pieces(block.thinking).map((text) => ({ text, thought: true }))
    return [...thoughts.slice(0, -1), { ...thoughts.at(-1), thoughtSignature: block.signature }]
  }
  const functionCall = { name: block.call, args: JSON.parse(block.args) as unknown }
  return [{ functionCall, ...(block.signature !== undefined && { thoughtSignature: block.signature }) }]
}

function finishReason(answer: Answer): string {
  return { stop: 'STOP', calls: 'STOP', length: 'MAX_TOKENS', refused: 'SAFETY' }[finishOf(answer)]
}

function errorOf(trouble: Trouble, words: string): object {
  const [code, status, message] = {
    overflow: [
      400,
      'INVALID_ARGUMENT',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    ],
    overloaded: [503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'],
    unauthorised: [400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.'],
    'unknown-model': [404, 'NOT_FOUND', 'models/gemini-nonesuch is not found for API version v1beta'],
    'rate-limited': [429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota.'],
    other: [400, 'INVALID_ARGUMENT', words],
  }[trouble] as [number, string, string]
  const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' }
  return { code, status, message, ...(trouble === 'rate-limited' && { details: [retry] }) }
}
