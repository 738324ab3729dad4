import type { Section } from './mutation.ts'

const test = 'test/agent/leaving.test.ts'

export const leaving: Section = {
  section: 'What may leave',
  promises: {
    'A page that wants your diary in an address': [
      {
        guard: 'an address that nobody gave is asked about',
        file: 'src/permission/judge.ts',
        find: 'if (question.isComposed)',
        replace: 'if (question.isComposed && question.mode === "default")',
        test,
        title: '[LEAVE1] where nobody can be asked is refused',
      },
      {
        guard: 'results of tools are text from elsewhere',
        file: 'src/context/fold.ts',
        find: '(isElsewhere(writer, event) ? 1 : 0)',
        replace: '0',
        test,
        title: '[LEAVE1] where nobody can be asked is refused',
      },
      {
        guard: 'an address that differs in its end is another',
        file: 'src/agent/turn/leaving.ts',
        find: '(reader.row(givenTable, [branch, host, href])?.position ?? 0) >',
        replace:
          '(reader.rows(givenTable, { prefix: [branch, host], order: "down", limit: 1 })[0]?.position ?? 0) >',
        test,
        title: '[LEAVE1] only by a page, with one letter more is not',
      },
      {
        guard: 'the question shows the part that nobody gave',
        file: 'src/agent/right/call-wording.ts',
        find: 'from !== undefined ? composedLines(shown, from)',
        replace: 'from === -1 ? composedLines(shown, from)',
        test,
        title: '[LEAVE1] is asked about once a page stands in the prompt',
      },
    ],
    'The same in the background': [
      {
        guard: 'where nobody can be asked it is refused',
        file: 'src/permission/judge.ts',
        find: "      : { kind: 'refused', because: 'composed' }",
        replace: "      : { kind: 'allowed', because: 'built-in', pattern: null }",
        test,
        title: '[LEAVE1] where nobody can be asked is refused',
      },
      {
        guard: 'the report says so',
        file: 'src/agent/step/run-report.ts',
        find: 'asked.length === 0 ? text',
        replace: 'asked.length >= 0 ? text',
        test,
        title: '[LEAVE1] a background run is refused, and its report says so',
      },
    ],
    'An address by a detour': [
      {
        guard: 'a page at a made-up address gives no address of another site',
        file: 'src/agent/turn/calls.ts',
        find: 'call.madeUp === undefined ? links',
        replace: 'links.length >= 0 ? links',
        test,
        title: '[LEAVE1] only by what /echo makes of an address',
      },
      {
        guard: 'what is piped in is not the person’s',
        file: 'src/agent/state/fold-rights.ts',
        find: 'outsideFences(saidWith(message))',
        replace: 'saidWith(message)',
        test,
        title: '[LEAVE1] to a piped text is not given',
      },
      {
        guard: 'a model’s task for a child is not a person’s',
        file: 'src/context/origin.ts',
        find: "created.author.by === 'person' ? 'person' : 'elsewhere'",
        replace: "'person'",
        test,
        title: '[LEAVE1] is what a model tells a child',
      },
    ],
    'Text from elsewhere that is out of sight': [
      {
        guard: 'a run is told of a model’s reminder in the model’s words',
        file: 'src/schedule/forward-schedule.ts',
        find: "definition.kind === 'reminder' && (definition.isByModel",
        replace: "definition.kind === 'routine' && (definition.isPersistent",
        test,
        title: '[LEAVE1] that a model set count as theirs where a run is told of it',
      },
      {
        guard: 'a note quotes a model’s reminder in the model’s words',
        file: 'src/agent/step/take-inbox.ts',
        find: "source.from === 'host' && source.isByModel === true",
        replace: "source.from === 'person'",
        test,
        title: '[LEAVE1] that a model set count as theirs in the note',
      },
      {
        guard: 'a summary has the origins of what it covers',
        file: 'src/context/fold.ts',
        find: 'elsewhere: hasElsewhere(writer, covers) ? 1 : 0',
        replace: 'elsewhere: 0',
        test,
        title: '[LEAVE1] counts in a fork, and in a summary',
      },
      {
        guard: 'what recall brings back counts',
        file: 'src/agent/turn/leaving.ts',
        find: '|| isElsewhereAt(reader, position)',
        replace: '',
        test,
        title: '[LEAVE1] counts where recall brings it back',
      },
      {
        guard: 'the words of a model that read some count',
        file: 'src/agent/turn/answering.ts',
        find: 'message: assistantMessage(reply, calls, name), ...reads })',
        replace: 'message: assistantMessage(reply, calls, name) })',
        test,
        title: '[LEAVE1] is in what a model wrote that had read some',
      },
    ],
    'An export made by somebody else': [
      {
        guard: 'no address of an import was given',
        file: 'src/agent/turn/leaving.ts',
        find: '?.position ?? 0) > importedTo(reader)',
        replace: '?.position ?? 0) > 0',
        test: 'test/import.authority.test.ts',
        title: '[LEAVE1] nothing is vouched for',
      },
      {
        guard: 'an imported message is from elsewhere, whatever it says',
        file: 'src/agent/turn/leaving.ts',
        find: '(isSummary(item) ? item.summary : item.from) <= imported',
        replace: '(isSummary(item) ? item.summary : item.from) < 0',
        test: 'test/import.authority.test.ts',
        title: '[LEAVE1] nothing is vouched for',
      },
    ],
    'A host that only looks open': [
      {
        guard: 'below a host means behind a dot',
        file: 'src/tool/web/web-address.ts',
        find: 'host.endsWith(`.${one}`)',
        replace: 'host.endsWith(one)',
        test: 'src/tool/web/web-address.test.ts',
        title: 'is of an open host',
      },
    ],
  },
}
