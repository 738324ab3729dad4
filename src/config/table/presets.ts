import type { FlatConfig } from './settings.ts'

/** Settings that go together: `mainstem config preset NAME` writes them all. */
export const presets = {
  fetch: {
    for: 'the defaults of Fetch, the WhatsApp assistant this design follows: a fixed window, whatever the model takes',
    values: {
      historyWindow: 20,
      compactionThreshold: 40,
      truncationLimit: 100,
      compactionShare: 0,
      historyTokens: null,
      compactionMaxTokens: 500,
      maxToolCalls: 5,
      chatMaxTokens: 300,
      chatTemperature: 0.7,
      toolMaxTokens: 500,
      toolTemperature: 0.3,
    },
  },
  'longer-conversations': {
    for: 'more of the conversation stays word for word',
    values: { historyWindow: 30, compactionThreshold: 60, truncationLimit: 150 },
  },
  'small-context': {
    for: 'models that take about 8,000 tokens',
    values: { historyWindow: 10, compactionThreshold: 20, truncationLimit: 50, chatMaxTokens: 150 },
  },
  'large-context': {
    for: 'models that take 200,000 tokens or more',
    values: {
      historyWindow: 50,
      compactionThreshold: 100,
      truncationLimit: 250,
      historyTokens: 100_000,
    },
  },
  'many-users': {
    for: 'several people who write a lot',
    values: { rateLimitMax: 60, rateLimitWindow: 60_000 },
  },
  'minimal-resources': {
    for: 'the token limits of Fetch, halved',
    values: { compactionMaxTokens: 250, chatMaxTokens: 150, toolMaxTokens: 250, recallSnippetTokens: 150 },
  },
} as const satisfies Readonly<
  Record<string, { readonly for: string; readonly values: Readonly<Partial<FlatConfig>> }>
>
