import { type Block, defaultUsage, finishOf, pieces, type Trouble, type Wire } from './model-answer.ts'

/** Ollama's /api/chat: one JSON object a line. */
export const ollamaWire: Wire = {
  contentType: 'application/x-ndjson',
  fits: (path) => path === '/api/chat',
  stream(answer) {
    const { in: prompt_eval_count, out: eval_count } = answer.usage ?? defaultUsage
    const done_reason = finishOf(answer) === 'length' ? 'length' : 'stop'
    return [
      ...answer.blocks.flatMap(messagesOf).map((message) => line({ message, done: false })),
      line({
        message: { role: 'assistant', content: '' },
        done: true,
        done_reason,
        prompt_eval_count,
        eval_count,
      }),
    ]
  },
  refusal: (trouble, words) => JSON.stringify({ error: wordsOf(trouble, words) }),
  frame: (trouble, words) => line({ error: wordsOf(trouble, words) }),
}

function line(chunk: object): string {
  return `${JSON.stringify({ model: 'stand-in', created_at: '2026-01-01T00:00:00Z', ...chunk })}\n`
}

function messagesOf(block: Block): object[] {
  const role = 'assistant'
  if ('text' in block) return pieces(block.text).map((content) => ({ role, content }))
  if ('thinking' in block) return pieces(block.thinking).map((thinking) => ({ role, content: '', thinking }))
  const call = { function: { name: block.call, arguments: asJson(block.args) } }
  return [{ role, content: '', tool_calls: [block.id === '' ? call : { id: block.id, ...call }] }]
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function wordsOf(trouble: Trouble, words: string): string {
  return {
    overflow: 'input length exceeds the context length',
    overloaded: 'server busy, please try again.  maximum pending requests exceeded',
    unauthorised: 'unauthorized',
    'unknown-model': "model 'nonesuch' not found",
    'rate-limited': 'too many requests',
    other: words,
  }[trouble]
}
