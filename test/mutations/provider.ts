import type { Section } from './mutation.ts'

const replies = 'src/model/hostile-replies.test.ts'

export const provider: Section = {
  section: "The model's provider",
  promises: {
    'Counts that are none': [
      {
        guard: 'a count is positive, whole and not huge',
        file: 'src/model/contract/bounded-reply.ts',
        find: `typeof given === 'number' && given > 0 && given <= TOKENS_MAX ? Math.ceil(given) : 0`,
        replace: 'given as number',
        test: replies,
        title: 'usage that is no count',
      },
    ],
    '`retry-after` in a million years': [
      {
        guard: 'no wait is longer than a day',
        file: 'src/model/contract/model.ts',
        find: 'Math.min(more.retryAfterMs, RETRY_AFTER_MAX_MS)',
        replace: 'more.retryAfterMs',
        test: replies,
        title: 'retry-after',
      },
    ],
    'A reply that no event can hold': [
      {
        guard: 'a long reply is an error',
        file: 'src/model/contract/bounded-reply.ts',
        find: 'if (isLong || bytes > REPLY_BYTES_MAX)',
        replace: 'if (false)',
        test: replies,
        title: 'a reply that no event could hold',
      },
      {
        guard: 'the name of a tool is cut',
        file: 'src/model/contract/bounded-reply.ts',
        find: '.slice(0, NAME_MAX)',
        replace: '',
        test: replies,
        title: 'the name of a tool',
      },
    ],
    'A crash at every start': [
      {
        guard: 'a turn fails of what the log refuses',
        file: 'src/agent/turn/turn.ts',
        find: 'if (!(error instanceof EventError)) throw error',
        replace: 'throw error',
        test: 'test/agent/unwritable.test.ts',
        title: 'fails the turn',
      },
      {
        guard: 'a message is cut so that its head has room',
        file: 'src/agent/step/take-inbox.ts',
        find: 'text: bounded(typedIn(reader, admitted)), head',
        replace: 'text: typedIn(reader, admitted), head',
        test: 'test/agent/unwritable.test.ts',
        title: 'with a message that fills an event',
      },
    ],
    'A redirect': [
      {
        guard: 'calls of a model follow no redirect',
        file: 'src/model/contract/watch.ts',
        find: `, redirect: 'manual'`,
        replace: '',
        test: replies,
        title: 'a redirect is not followed',
      },
      {
        guard: 'the search for local servers follows no redirect',
        file: 'src/runtime/home/found-models.ts',
        find: `, redirect: 'error'`,
        replace: '',
        test: 'src/runtime/home/found-models.test.ts',
        title: 'asked where it is, and nowhere else',
      },
    ],
    'An answer without end': [
      {
        guard: 'an answer has a time in total',
        file: 'src/model/contract/watch.ts',
        find: 'scene.now() > endsAt',
        replace: 'false',
        test: replies,
        title: 'a stream that drips',
      },
      {
        guard: 'an answer has a size in total',
        file: 'src/model/contract/watch.ts',
        find: 'bytes > answerBytesMax || ',
        replace: '',
        test: replies,
        title: 'a stream without end',
      },
      {
        guard: 'a line of a stream has a size',
        file: 'src/model/contract/watch.ts',
        find: ' || lineBytes > LINE_BYTES_MAX',
        replace: '',
        test: replies,
        title: 'a single line without end',
      },
    ],
    "A stranger on a local server's port": [
      {
        guard: 'a list of models is checked',
        file: 'src/runtime/home/found-models.ts',
        find: 'schema.parse(await response.json())',
        replace: '(await response.json()) as z.output<Schema>',
        test: 'src/runtime/home/found-models.test.ts',
        title: 'whatever else answers there is no model',
      },
    ],
  },
}
