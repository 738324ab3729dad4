import type { Section } from './mutation.ts'

export const spending: Section = {
  section: 'Money, time and memory',
  promises: {
    'Answers that break off': [
      {
        guard: 'a call that broke off is counted',
        file: 'src/agent/turn/turn.ts',
        find: 'await count(step, prepared, broken)',
        replace: '',
        test: 'test/agent/spending.test.ts',
        title: '[COST1] is an answer that breaks off',
      },
      {
        guard: 'what came before the break is kept',
        file: 'src/model/contract/watch.ts',
        find: 'return Object.assign(why, came.isTaken && { heard: came.heard })',
        replace: 'return why',
        test: 'src/model/failures.test.ts',
        title: '[COST1] what came before a stream was cut',
      },
    ],
    'A model without a price': [
      {
        guard: 'tokens without a price count',
        file: 'src/agent/state/spent.ts',
        find: 'return sums.cost + (sums.tokensUnpriced * priceUnknown) / 1_000_000',
        replace: 'return sums.cost',
        test: 'test/agent/spending.test.ts',
        title: '[COST1] is a model without a price',
      },
    ],
    'A day that costs more than you thought': [
      {
        guard: 'the person is told from costDayWarn on',
        file: 'src/agent/state/spent.ts',
        find: 'if (warn !== null && used >= warn.max)',
        replace: 'if (false)',
        test: 'test/agent/spending.test.ts',
        title: '[COST1] is told once a day',
      },
    ],
    'Thousands of calls in one step': [
      {
        guard: '64 calls of a step are run',
        file: 'src/base/limits.ts',
        find: 'stepCallsMax: 64,',
        replace: 'stepCallsMax: 6_400,',
        test: 'test/agent/turn.test.ts',
        title: '[TOOL2] beyond 64 in one step are refused',
      },
    ],
    'Forks that fork, agents that write to each other without end': [
      {
        guard: 'calls of models and tools have a ceiling',
        file: 'src/agent/state/cause.ts',
        find: 'if (calls >= max.calls) return',
        replace: 'if (calls < 0) return',
        test: 'test/agent/causes.test.ts',
        title: '[CAUSE1] stops at so many calls',
      },
      {
        guard: 'tokens have a ceiling',
        file: 'src/agent/state/cause.ts',
        find: 'return tokens >= max.tokens ?',
        replace: 'return tokens < 0 ?',
        test: 'test/agent/causes.test.ts',
      },
      {
        guard: 'branches have a ceiling',
        file: 'src/agent/branch/fork-act.ts',
        find: 'const { branches } = settings.causedMax',
        replace: 'const branches = 100_000',
        test: 'test/agent/causes.test.ts',
        title: '[CAUSE1] has an end where every branch forks as many as it can',
      },
    ],
    'Many pages at once': [
      {
        guard: 'four are read at once',
        file: 'src/tool/web/web-fetch.ts',
        find: 'const PAGES_AT_ONCE_MAX = 4',
        replace: 'const PAGES_AT_ONCE_MAX = 400',
        test: 'src/tool/web/web-fetch.test.ts',
        title: '[TOOL2] four pages are read at once',
      },
    ],
  },
}
