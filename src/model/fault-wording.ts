/** The ways in which providers say that a prompt does not fit: there is no code that they share. */
export function isOverflow(words: string): boolean {
  return overflows.some((pattern) => pattern.test(words))
}

const overflows: readonly RegExp[] = [
  // Anthropic
  /prompt is too long/i,
  /input length and `?max_tokens`? exceed context/i,
  /request_too_large|exceeds the maximum size/i,
  // OpenAI, and servers that took over its words (vLLM, OpenRouter)
  /context_length_exceeded/i,
  /exceeds? the context window/i,
  /maximum context length/i,
  // Google
  /input token count .*exceeds? the maximum/i,
  // llama.cpp, LM Studio, Ollama
  /exceeds? the available context size/i,
  /exceed_context_size/i,
  /context length .*(?:overflow|exceed)/i,
  /input length exceeds/i,
  /exceeds? (?:the )?(?:model'?s )?(?:maximum )?context (?:length|window|limit)/i,
]

/** Google says it with status 400. */
export function isRefusedKey(words: string): boolean {
  return /api key not valid|API_KEY_INVALID|invalid x-api-key|invalid_api_key/i.test(words)
}

/** OpenAI says it with 429 and Anthropic with 400; waiting does not help. */
export function isOutOfCredit(words: string): boolean {
  return /insufficient_quota|credit balance is too low|billing_not_active/i.test(words)
}

/** An address without what may be secret in it. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return url
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}
