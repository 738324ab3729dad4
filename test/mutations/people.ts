import type { Section } from './mutation.ts'

const test = 'test/agent/gate.test.ts'
const gate = 'src/command/door/gate.ts'
const acts = 'src/agent/branch/people-acts.ts'

export const people: Section = {
  section: 'People and strangers',
  promises: {
    'A stranger who writes': [
      {
        guard: 'nobody without an identity gets in',
        file: gate,
        find: 'if (person === undefined) {',
        replace: 'if (false as boolean) {',
        test,
        title: '[SAFE1] sees one sentence',
      },
    ],
    'A flood of strangers': [
      {
        guard: 'three codes wait at most',
        file: acts,
        find: 'const isFull = openPairings(writing, at).length >= limits.pairingsMax',
        replace: 'const isFull = false as boolean',
        test,
        title: '[SAFE1] thousands of messages',
      },
      {
        guard: 'one hint an hour for each stranger',
        file: acts,
        find: 'return !recent.some((asked) => identityKey(asked) === identityKey(stranger))',
        replace: 'return true',
        test,
        title: '[SAFE1] gets at most one hint an hour',
      },
      {
        guard: 'ten hints an hour in all',
        file: acts,
        find: 'if (recent.length >= limits.hintsPerHour) return false',
        replace: '',
        test,
        title: '[SAFE1] ten hints an hour',
      },
      {
        guard: 'one count an hour, also after a restart',
        file: 'src/command/door/strangers.ts',
        find: 'if (Math.abs(contact.at - before) < NOTED_EVERY_MS) return',
        replace: '',
        test,
        title: '[SAFE1] a thousand messages',
      },
    ],
    'A stranger who calls themselves like you': [
      {
        guard: 'the name of the button is nobody’s',
        file: acts,
        find: 'if (personNamed(reader, free) === undefined && ',
        replace: 'if (',
        test,
        title: 'who calls themselves like somebody else',
      },
      {
        guard: 'no guest is called me',
        file: acts,
        find: "const first = name === '' || RESERVED.has(name.toLowerCase()) ? otherwise : name",
        replace: 'const first = name',
        test,
        title: 'who calls themselves like somebody else',
      },
      {
        guard: 'a button lets in somebody new',
        file: 'src/command/commands/people-commands.ts',
        find: 'isNew: source.isButton === true',
        replace: 'isNew: false',
        test,
        title: '[PEOPLE2] two strangers of one name are two guests',
      },
    ],
    'A button of another chat': [
      {
        guard: 'a button counts in its own conversation',
        file: 'src/command/door/pressed.ts',
        find: 'if (addressKey(placeNow(reader, delivery.to)) !== addressKey(at)) return undefined',
        replace: '',
        test: 'test/agent/chat-app.test.ts',
        title: '[BUTTON1] counts in its own conversation',
      },
    ],
    'A button for somebody else': [
      {
        guard: 'a button counts for the person it was sent to',
        file: 'src/command/door/pressed.ts',
        find: 'if (at.person !== OWNER && !isTheirs) return undefined',
        replace: '',
        test: 'test/telegram/life.test.ts',
        title: 'count for the person they were sent to',
      },
    ],
    'A group that says it was another chat': [
      {
        guard: 'only groups move',
        file: acts,
        find: "if (branch === undefined || roleOf(writing, personIn(writing, branch)) !== 'group') return false",
        replace: 'if (branch === undefined) return false',
        test: 'test/telegram/life.test.ts',
        title: 'counts only for groups of ours',
      },
      {
        guard: 'a chat that has somebody stays theirs',
        file: acts,
        find: 'if (boundTo(writing, place) !== undefined) return false',
        replace: '',
        test: 'test/telegram/life.test.ts',
        title: 'counts only for groups of ours',
      },
      {
        guard: 'moves of an import do not count',
        file: 'src/agent/state/outbox.ts',
        find: 'writer.put(movedTable, { ...row, moved_to: null })',
        replace: 'writer.put(movedTable, row)',
        test: 'src/agent/state/person.test.ts',
        title: '[SAFE5] an import leads no message somewhere else',
      },
    ],
    'A guest who uses your commands': [
      {
        guard: 'the role of a command is checked',
        file: 'src/command/commands/dispatch.ts',
        find: "if (role !== 'owner' && isForOwner(order.command))",
        replace: 'if (false as boolean)',
        test,
        title: '[PEOPLE1]',
      },
    ],
    "A conversation that was somebody else's": [
      {
        guard: 'a branch of somebody else does not count',
        file: 'src/agent/branch/binding.ts',
        find: 'if (bound !== undefined && personIn(reader, bound) === person) return bound',
        replace: 'if (boundTo(reader, address) !== undefined) return boundTo(reader, address)',
        test,
        title: '[PEOPLE1] a conversation talks to nobody else',
      },
    ],
    'A phone that was lost': [
      {
        guard: 'nothing is sent to an account that was taken away',
        file: 'src/agent/loop/post.ts',
        find: 'isLost: !isReached(reader, intent, this.#world.settings())',
        replace: 'isLost: false as boolean',
        test: 'test/people.lost.test.ts',
        title: '[PEOPLE1] an answer goes to no account',
      },
      {
        guard: 'an account of links counts while it is there',
        file: 'src/agent/state/person.ts',
        find: 'links.includes(identity) || (is_link === 0 && ',
        replace: 'links.includes(identity) || (',
        test: 'test/people.lost.test.ts',
        title: '[PEOPLE1] a ping goes to no account that was taken away: in links',
      },
    ],
    'A forwarded command': [
      {
        guard: 'forwarded words are not parsed',
        file: 'src/command/door/reception.ts',
        find: `const isWords = origin === 'token' || inbound.isForwarded === true`,
        replace: `const isWords = origin === 'token'`,
        test,
        title: '[SAFE5] a forwarded message',
      },
    ],
    'A guest who floods': [
      {
        guard: 'messages over the limit wait',
        file: gate,
        find: 'const until = goes.length < max ? now : Math.max(now, (goes.at(-max) ?? now) + windowMs)',
        replace: 'const until = now',
        test,
        title: 'in any window',
      },
      {
        guard: 'ten times as many are refused',
        file: gate,
        find: 'if (this.isFull(person, look)) {',
        replace: 'if (false as boolean) {',
        test,
        title: 'ten times as many',
      },
    ],
    'Text that breaks the log': [
      {
        guard: 'ids are checked',
        file: gate,
        find: "return id !== '' && id.length <= ID_MAX && wellFormed(id) === id",
        replace: 'return true',
        test,
        title: 'what no log takes',
      },
    ],
    'An imported log': [
      {
        guard: 'identities of an import count no more',
        file: 'src/agent/state/fold-people.ts',
        find: "'import-closed': (_, writer) => unlink(writer, () => true),",
        replace: '',
        test: 'src/agent/state/person.test.ts',
        title: '[SAFE5] an import lets nobody in',
      },
    ],
  },
}
