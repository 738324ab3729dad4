import fc from 'fast-check'
import { seededRandom } from '../src/base/random.ts'
import type { Draft } from '../src/event/event.ts'
import { makeBranchId, makeTurnId, type Position } from '../src/event/id.ts'
import { reportings } from '../src/event/run.ts'

/** Any event that may be written, of every kind, for codecs: it need not follow from anything. */
const time = fc.integer({ min: 0, max: 8_640_000_000_000_000 })
const count = fc.nat(1_000_000)
const position = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }).map((value) => value as Position)
const branch = fc.tuple(fc.nat(2 ** 40), fc.nat()).map(([at, seed]) => makeBranchId(at, seededRandom(seed)))
const turn = fc.tuple(fc.nat(2 ** 40), fc.nat()).map(([at, seed]) => makeTurnId(at, seededRandom(seed)))
const text = fc.string({ unit: 'binary', maxLength: 40 })
const title = text.map((value) => value.toWellFormed())
const name = fc.string({ minLength: 1, maxLength: 20 })
const author = fc.oneof(
  fc.constant({ by: 'person' as const }),
  fc.record({ by: fc.constant('person' as const), person: title.filter((value) => value !== '') }),
  fc.record({ by: fc.constant('model' as const), turn }),
  fc.record({ by: fc.constant('policy' as const), name }),
)
const markName = fc.stringMatching(/^[a-zA-Z0-9_äÖ漢][^\s]{0,30}$/u).map((value) => value.toWellFormed())
const mark = fc.record({ name: markName, at: position })
const at = fc.option(position, { nil: undefined }).map((value) => (value === undefined ? {} : { at: value }))
const range = fc
  .tuple(fc.record({ src: branch, from: position, to: position }), at)
  .map(([a, b]) => ({ ...a, ...b }))
const summaryRef = fc
  .tuple(fc.record({ summary: position, part: count, src: branch, last: count, end: position }), at)
  .map(([a, b]) => ({ ...a, ...b }))
const items = fc.array(fc.oneof(range, summaryRef), { maxLength: 4 })
const change = { author, prev: position, items, marks: fc.array(mark, { maxLength: 3 }) }
const args = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.parse(JSON.stringify(value)))
const call = fc.record({ id: name, tool: name, args })
const message = fc.oneof(
  fc.record({ role: fc.constant('user' as const), text }),
  fc.record({
    role: fc.constant('user' as const),
    text,
    head: name,
    before: fc.array(name, { maxLength: 2 }),
  }),
  fc.record({
    role: fc.constant('assistant' as const),
    text,
    calls: fc.array(call, { maxLength: 1 }),
    reasoning: fc.array(fc.record({ text, data: args }), { maxLength: 2 }),
    model: name,
  }),
  fc.record({ role: fc.constant('assistant' as const), text, calls: fc.array(call, { maxLength: 3 }) }),
  fc.record({ role: fc.constant('tool' as const), call: name, tool: name, text }),
  fc.record({ role: fc.constant('tool' as const), call: name, tool: name, text, synthetic: text }),
  fc.record({ role: fc.constant('note' as const), author, text }),
)
const base = fc.oneof(
  fc.constant({ from: 'nothing' as const }),
  fc.record({ from: fc.constant('parent' as const), version: position, head: position }),
  fc.record({ from: fc.constant('items' as const), items }),
)
const summary = fc.record({
  text: fc.string({ minLength: 1 }),
  tokens: count,
  tokensCovered: count,
  covers: fc.array(range, { minLength: 1, maxLength: 3 }),
  src: branch,
  first: count,
  last: count,
  end: position,
  depth: count,
})
const summaries = fc.array(summary, { minLength: 1, maxLength: 2 })
const header = { branch, at: time, v: fc.constant(1 as const) }
const of = <K extends string>(kind: K) => ({ kind: fc.constant(kind), ...header })
const endReason = fc.constantFrom(
  'saved',
  'reported',
  'discarded',
  'finished',
  'killed',
  'failed',
  'timed-out',
)
const mode = fc.constantFrom('main', 'fork', 'background', 'child')
const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })

const hash = fc.stringMatching(/^[0-9a-f]{64}$/)
const word = name.map((value) => value.toWellFormed())
const person = fc.record({
  from: fc.constant('person' as const),
  channel: word,
  conversation: word,
  person: word,
  key: nullable(title),
})
const host = fc.record({
  from: fc.constant('host' as const),
  tag: fc.constantFrom('fork-started', 'fork-timeout', 'system'),
})
const job = fc.record({
  from: fc.constant('host' as const),
  tag: fc.constantFrom('routine', 'routine-bg', 'reminder', 'reminder-bg', 'webhook'),
  id: word,
})
const silentJob = fc.record({
  from: fc.constant('host' as const),
  tag: fc.constant('reminder' as const),
  id: word,
  person: word,
  allowPing: fc.constant(false as const),
  chain: fc.record({
    max: count,
    depth: count,
    parent: word,
    description: text,
    skills: fc.array(name, { maxLength: 2 }),
    manner: fc.record({
      isolated: fc.boolean(),
      model: nullable(name),
      thinking: fc.constantFrom('off' as const, 'adaptive' as const, 500),
      reporting: fc.constantFrom(...reportings),
      tools: fc.array(name, { maxLength: 2 }),
    }),
  }),
})
const embed = fc.record({
  title: name,
  description: name,
  color: name,
  fields: fc.array(fc.record({ name, value: name }), { maxLength: 2 }),
})
const choices = fc.array(fc.record({ label: name, command: name }), { maxLength: 3 })
const usage = fc.record({ tokensIn: count, tokensOut: count, tokensCached: count, tokensCacheWritten: count })
const callNumber = fc.integer({ min: 1, max: 50 })

const arbitraryWork: fc.Arbitrary<Draft> = fc.oneof(
  fc.record({ ...of('content-kept'), hash, text }),
  fc.record({
    ...of('inbound-admitted'),
    source: fc.oneof(
      person,
      person.map((source) => ({ ...source, isText: true as const })),
      host,
      job,
      silentJob,
    ),
    form: fc.constantFrom('message', 'note', 'command', 'step-command'),
    text,
  }),
  fc.record({
    ...of('inbound-admitted'),
    source: fc.oneof(
      person.map((source) => ({ ...source, isButton: true as const })),
      fc.record({ from: fc.constant('host' as const), tag: fc.constant('system' as const), turn }),
    ),
    form: fc.constantFrom('message', 'command'),
    text,
    before: fc.array(name, { maxLength: 2 }),
  }),
  fc.record({ ...of('inbound-moved'), took: position, to: position }),
  fc.record({
    ...of('model-called'),
    turn,
    call: callNumber,
    prompt: hash,
    version: position,
    head: nullable(position),
    system: hash,
    tools: hash,
    settings: hash,
    tail: nullable(fc.record({ text: hash, after: position })),
  }),
  fc.record({
    ...of('model-answered'),
    turn,
    call: callNumber,
    model: name,
    finish: fc.constantFrom('stop', 'calls', 'length', 'refused'),
    usage,
    cost: nullable(fc.double({ min: 0, max: 1e6, noNaN: true }).map(Math.abs)),
    purpose: fc.constantFrom('person', 'background'),
    day: fc.constant('2026-03-01'),
  }),
  fc.record({
    ...of('model-failed'),
    turn,
    call: callNumber,
    reason: name,
    message: text,
    retryAt: nullable(time),
  }),
  fc.record({
    ...of('command-run'),
    author,
    source: nullable(person),
    took: nullable(position),
    line: text,
    output: text,
    isError: fc.boolean(),
  }),
  fc.record({
    ...of('delivery-intended'),
    to: fc.record({ channel: word, conversation: word }),
    form: fc.constantFrom('answer', 'output', 'notice'),
    text,
    turn: nullable(turn),
  }),
  fc.record({
    ...of('delivery-intended'),
    to: fc.record({ channel: word, conversation: word, person: word }),
    form: fc.constantFrom('question', 'ping', 'notice'),
    text,
    turn: nullable(turn),
    embed,
    number: fc.integer({ min: 1, max: 1_000 }),
    choices,
    cause: position,
  }),
  fc.record({ ...of('delivery-done'), intent: position, platformId: nullable(text) }),
  fc.record({ ...of('delivery-done'), intent: position, platformId: text, head: name, foot: name }),
  fc.record({ ...of('delivery-failed'), intent: position, message: text }),
  fc.record({ ...of('delivery-part'), intent: position, platformId: text }),
  fc.record({ ...of('buttons-made'), intent: position, keys: fc.array(name) }),
  fc.record({
    ...of('preview-begun'),
    to: fc.record({ channel: word, conversation: word }),
    turn,
    text,
  }),
  fc.record({ ...of('preview-shown'), intent: position, platformId: text }),
  fc.record({ ...of('preview-removed'), intent: position }),
  fc.record({
    ...of('process-started'),
    turn,
    call: name,
    group: fc.integer({ min: 2, max: 4_194_304 }),
    startTime: nullable(name),
  }),
  fc.record({ ...of('import-closed') }),
  fc.record({ ...of('mail-sent'), from: branch, text: name }),
  fc.record({ ...of('mail-read'), upTo: position }),
  fc.record({ ...of('conversation-bound'), channel: word, conversation: word, author }),
  fc.record({ ...of('setup-changed'), system: hash, tools: hash, author }),
  fc.record({
    ...of('model-used'),
    what: fc.constant('summary' as const),
    model: name,
    usage,
    cost: nullable(fc.double({ min: 0, max: 1e6, noNaN: true }).map(Math.abs)),
    purpose: fc.constantFrom('person', 'background'),
    day: fc.constant('2026-03-01'),
  }),
  fc.record({ ...of('policy-set'), policy: fc.constantFrom('managed', 'explicit'), author }),
  fc.record({
    ...of('spending-noted'),
    day: fc.constant('2026-03-01'),
    what: fc.constantFrom('near', 'agreed'),
  }),
)

const idleMs = fc.integer({ min: 1, max: 86_400_000 })

const arbitraryRun: fc.Arbitrary<Draft> = fc.oneof(
  fc.record({
    ...of('run-started'),
    job: word,
    tag: fc.constantFrom('routine-bg', 'reminder-bg', 'webhook'),
    file: nullable(name),
    isolated: fc.boolean(),
    model: nullable(name),
    thinking: fc.constantFrom<'off' | 'adaptive' | number>('off', 'adaptive', 2_000),
    reporting: fc.constantFrom('on_ping', 'always', 'freely', 'blocked'),
    allowPing: fc.boolean(),
    tools: fc.array(name, { maxLength: 3 }),
    skills: fc.array(name, { maxLength: 2 }),
    timeoutMs: idleMs,
    person: word,
    chain: fc.record({ max: count, depth: count, parent: word }),
    session: fc.constant('persistent' as const),
    setup: nullable(fc.record({ system: hash, tools: hash })),
    author,
  }),
  fc.record({ ...of('run-sent-back'), turn }),
  fc.record({
    ...of('fork-entered'),
    how: fc.constantFrom('command', 'model', 'reply', 'copy'),
    replied: nullable(branch),
    idleMs: nullable(idleMs),
  }),
  fc.record({
    ...of('ping-decided'),
    turn,
    run: nullable(branch),
    what: fc.constantFrom('message', 'embed'),
    isCritical: fc.boolean(),
    verdict: fc.constantFrom('sent', 'refused'),
    because: fc.constantFrom(
      'allowed',
      'critical',
      'asked',
      'not-allowed',
      'one-per-run',
      'one-per-work',
      'nobody',
    ),
    text,
    before: nullable(position),
    delivery: nullable(position),
  }),
  fc.record({
    ...of('update-reported'),
    source: name,
    text: name,
    from: nullable(branch),
    author,
    key: nullable(word),
  }),
)

const jobName = { what: fc.constantFrom('routine', 'reminder', 'webhook'), job: word }
const one = nullable(fc.record(jobName))
const tokens = fc.integer({ min: 1, max: 1_000 })
const budget = fc.record({
  person: word,
  capacity: tokens,
  refillMinutes: tokens,
  available: fc.double({ min: 0, max: 1_000, noNaN: true }).map((value) => value + 0),
  day: fc.constant('2026-03-01'),
})

const arbitraryJob: fc.Arbitrary<Draft> = fc.oneof(
  fc.record({
    ...of('ping-decided'),
    turn,
    run: nullable(branch),
    what: fc.constantFrom('message', 'embed'),
    isCritical: fc.boolean(),
    verdict: fc.constant('held' as const),
    because: fc.constantFrom('busy', 'quiet-hours', 'budget', 'paused', 'less', 'critical-cap'),
    text,
    before: nullable(position),
    delivery: fc.constant(null),
    budget,
    job: fc.record(jobName),
    held: fc.record({ text, embed: fc.record({ title: name }) }),
    of: position,
  }),
  fc.record({
    ...of('job-scheduled'),
    ...jobName,
    file: name,
    schedule: nullable(title),
    due: nullable(time),
  }),
  fc.record({ ...of('job-fired'), ...jobName, due: time, isLate: fc.boolean(), run: nullable(branch) }),
  fc.record({
    ...of('job-skipped'),
    ...jobName,
    due: time,
    because: fc.constantFrom('running', 'missed', 'nobody', 'broken', 'gone'),
    took: position,
  }),
  fc.record({ ...of('webhook-received'), job: word, key: nullable(word), hash, data: name, run: branch }),
  fc.record({ ...of('run-rested'), reason: fc.constantFrom('finished', 'failed', 'timed-out') }),
  fc.record({ ...of('jobs-paused'), one, until: nullable(time), author }),
  fc.record({ ...of('jobs-resumed'), one, author }),
  fc.record({
    ...of('definition-judged'),
    file: word,
    problem: nullable(fc.record({ line: tokens, reason: name })),
  }),
  fc.record({ ...of('zone-set'), zone: word, author }),
  fc.record({
    ...of('budget-set'),
    person: word,
    capacity: tokens,
    refillMinutes: tokens,
    available: fc.nat(1_000),
    author,
  }),
  fc.record({
    ...of('ping-settled'),
    ping: position,
    outcome: fc.constantFrom('failed', 'expired', 'moved'),
    delivery: nullable(position),
  }),
  fc.record({ ...of('ping-answered'), ping: position, answer: fc.constantFrom('done', 'less', 'more') }),
  fc.record({ ...of('ping-answered'), ping: position, answer: fc.constant('snoozed' as const), until: time }),
  fc.record({ ...of('notice-raised'), person: word, cause: word, text: name }),
  fc.record({
    ...of('notices-told'),
    person: word,
    causes: fc.array(word, { minLength: 1, maxLength: 3 }),
    delivery: position,
  }),
  fc.record({ ...of('digest-sent'), person: word, upTo: position, delivery: position }),
)

const arbitraryPeople: fc.Arbitrary<Draft> = fc.oneof(
  fc.record({
    ...of('person-added'),
    person: word,
    name: word,
    role: fc.constantFrom('guest', 'group'),
    main: branch,
    author,
  }),
  fc.record({
    ...of('identity-linked'),
    person: word,
    channel: word,
    user: word,
    conversation: word,
    author,
  }),
  fc.record({ ...of('identity-unlinked'), channel: word, user: word, author }),
  fc.record({
    ...of('pairing-asked'),
    channel: word,
    user: word,
    conversation: word,
    name: word,
    code: word,
  }),
  fc.record(
    {
      ...of('pairing-decided'),
      code: word,
      decision: fc.constantFrom('me', 'guest', 'refused'),
      person: word,
      author,
    },
    { requiredKeys: ['kind', 'branch', 'at', 'v', 'code', 'decision', 'author'] },
  ),
  fc.record({ ...of('person-removed'), person: word, author }),
  fc.record({
    ...of('strangers-noted'),
    channel: word,
    count: fc.integer({ min: 1, max: 1_000_000 }),
    senders: fc.array(word, { maxLength: 10 }),
  }),
  fc.record({ ...of('inbound-edited'), entry: position, text: fc.string() }),
  fc.record({ ...of('inbound-dropped'), entry: position }),
)

export const arbitraryDraft: fc.Arbitrary<Draft> = fc.oneof(
  arbitraryWork,
  arbitraryRun,
  arbitraryJob,
  arbitraryPeople,
  fc.record({
    ...of('branch-created'),
    mode,
    parent: nullable(branch),
    title: nullable(title),
    base,
    author,
  }),
  fc.record({ ...of('branch-ended'), reason: endReason, author }),
  fc.record({ ...of('message-added'), turn: nullable(turn), message, tokens: count }),
  fc.record({ ...of('message-added'), turn: nullable(turn), message, tokens: count, took: position }),
  fc.record({
    ...of('message-added'),
    turn: nullable(turn),
    message,
    tokens: count,
    updates: fc.record({ of: branch, shown: fc.array(position, { minLength: 1, maxLength: 3 }) }),
  }),
  fc.record({
    ...of('turn-started'),
    turn,
    version: position,
    head: nullable(position),
    continues: nullable(turn),
  }),
  fc.record({
    ...of('turn-ended'),
    turn,
    outcome: fc.constantFrom('answered', 'interrupted', 'stopped', 'failed'),
  }),
  fc.record({ ...of('turn-ended'), turn, outcome: fc.constant('deferred' as const), retryAt: time }),
  fc.record({ ...of('mark-set'), name: markName, author }),
  fc.record({ ...of('context-cleared'), ...change, to: nullable(mark) }),
  fc.record({
    ...of('context-cleared'),
    ...change,
    to: mark,
    drops: fc.constantFrom('answer', 'exchange'),
    reopens: fc.array(fc.record({ by: position, updates: fc.array(position, { minLength: 1 }) }), {
      minLength: 1,
    }),
  }),
  fc.record({ ...of('context-compacted'), ...change, summaries, writer: name }),
  fc.record({
    ...of('compaction-abandoned'),
    author,
    because: fc.constantFrom('context-changed', 'nothing-kept'),
  }),
  fc.record({ ...of('context-expanded'), ...change, summary: position, part: count }),
  fc.record({ ...of('context-saved'), ...change, source: branch }),
  fc.record({
    ...of('context-saved'),
    ...change,
    source: branch,
    settles: fc.array(position, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ ...of('context-undone'), author, undone: position, version: position }),
  fc.record({ ...of('context-redone'), author, version: position }),
)
