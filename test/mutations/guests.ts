import type { Section } from './mutation.ts'

const SECRETS = 'test/people.secrets.test.ts'
const ENDPOINTS = {
  test: 'test/people.endpoints.test.ts',
  title: '[PEOPLE2] no endpoint tells the owner',
}

export const guests: Section = {
  section: 'Guests and groups',
  promises: {
    "Asking for somebody else's words": [
      {
        guard: 'recall finds what is said in branches of the asker alone',
        file: 'src/recall/scope/scope.ts',
        find: 'whose(reader, tree) === own && ',
        replace: '',
        test: 'src/recall/scope/scope.test.ts',
        title: '[PEOPLE2] sees no tree of another person, whoever spoke there',
      },
      {
        guard: 'a typo is corrected to words of the asker alone',
        file: 'src/recall/search/question.ts',
        find: 'within === undefined || isUsedWithin(index, within, word)',
        replace: `within === undefined || word !== ''`,
        test: SECRETS,
        title: '[PEOPLE2] nobody is shown anything of another',
      },
      {
        guard: 'the ledger of pings is of one person',
        file: 'src/agent/state/ledger.ts',
        find: 'budget?.person ?? ofRun ?? personIn(reader, branch)',
        replace: `budget?.person ?? ofRun ?? 'owner'`,
        test: SECRETS,
        title: '[PEOPLE2] each has a ledger of pings',
      },
    ],
    "Naming somebody else's branch": [
      {
        guard: 'people name only branches of their own',
        file: 'src/context/naming.ts',
        find: 'guestIn(reader, id) === person\n',
        replace: `id !== ''\n`,
        test: SECRETS,
        title: '[PEOPLE2] nobody can name a branch of another',
      },
    ],
    'Reading what guests say': [
      {
        guard: 'events of others are shown without what they say',
        file: 'src/view/log.ts',
        find: '...(isOwn && rest)',
        replace: '...rest',
        ...ENDPOINTS,
      },
      {
        guard: 'the list of branches is of one person',
        file: 'src/view/agents.ts',
        find: 'boolean => personIn(reader, id) === person',
        replace: `boolean => id !== ''`,
        ...ENDPOINTS,
      },
      {
        guard: 'a turn of another cannot be named by its id',
        file: 'src/view/named.ts',
        find: 'one !== undefined && isOwners(reader, one.branch)',
        replace: 'one !== undefined',
        ...ENDPOINTS,
      },
    ],
    'Prompts with what the owner told': [
      {
        guard: 'a prompt begins with the setup of its person',
        file: 'src/agent/state/setup.ts',
        find: 'setupNow(reader, personIn(reader, branch))',
        replace: 'setupNow(reader)',
        test: SECRETS,
        title: 'a group is told who speaks, has no memory, and a guest is called by name',
      },
    ],
    'Files, memory, to-dos and jobs of another': [
      {
        guard: "commands work with the person's own things",
        file: 'src/command/commands/dispatch.ts',
        find: 'const mine = person === OWNER ? desk : await desk.deskOf(person)',
        replace: 'const mine = desk',
        test: SECRETS,
        title: '[PEOPLE2] a guest has files, memory, to-dos and jobs in a folder of their own',
      },
    ],
    'Rights that the owner has, or gave to somebody else': [
      {
        guard: 'guests have at most the mode default',
        file: 'src/agent/turn/turn.ts',
        find: 'running.person === OWNER ? mode : modeForGuests(mode)',
        replace: 'mode',
        test: SECRETS,
        title: '[PEOPLE2] what would ask is asked of the owner',
      },
      {
        guard: 'a grant counts for one person',
        file: 'src/agent/state/approvals.ts',
        find: 'allRows(reader, grantTable, { prefix: [person] })',
        replace: 'allRows(reader, grantTable, { prefix: [] })',
        test: SECRETS,
        title: '[PEOPLE2] what would ask is asked of the owner',
      },
    ],
  },
}
