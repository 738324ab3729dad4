import {
  type DayLimit,
  dayLimit,
  embedder,
  modelName,
  modelNames,
  thinking,
  timeZone,
} from './type/domain-type.ts'
import { backgroundParameters } from './background-parameters.ts'
import { parameter, type Parameter } from './parameter.ts'
import { folder, folders, hostNames, servers, skillNames } from './type/tool-type.ts'
import {
  decimal,
  hostAddress,
  oneOf,
  orNone,
  secret,
  webAddress,
  whole,
  wholes,
  yesOrNo,
} from './type/value-type.ts'

const DAY_MS = 86_400_000
const ANSWER_TOKENS = { min: 1, max: 1_000_000 }
const TEMPERATURE = { min: 0, max: 2 }

/**
 * Every parameter. Its key is its path in config.json; MAINSTEM_ and the key in upper snake case is its name in the
 * environment. An entry here is all that a new parameter needs to be read, checked, listed and changed.
 */
export const parameters = {
  model: parameter({
    group: 'Model',
    change: 'live',
    type: orNone(modelName),
    default: null,
    help: 'The model that answers. None: not chosen yet.',
  }),
  fallbackModels: parameter({
    group: 'Model',
    change: 'live',
    type: modelNames,
    default: [],
    help: 'Models that answer a turn, in this order, when the model has failed after its retries.',
  }),
  thinking: parameter({
    group: 'Model',
    change: 'live',
    type: thinking,
    default: 'off',
    help: 'How much the model thinks before it answers: off, adaptive (it decides), or a budget in tokens.',
  }),
  costDayMax: parameter({
    group: 'Model',
    change: 'live',
    type: orNone<DayLimit>(dayLimit),
    default: null,
    help: 'What a day may cost, in money or in tokens; half of it for background work. None: no limit.',
  }),
  maxToolCalls: parameter({
    group: 'Turns',
    change: 'live',
    type: whole({ min: 0, max: 50 }),
    default: 5,
    help: 'Rounds of tool calls in one turn; then the model is asked for its last answer.',
  }),
  chatMaxTokens: parameter({
    group: 'Turns',
    change: 'live',
    type: orNone(whole(ANSWER_TOKENS)),
    default: null,
    help: "Tokens of an answer, in a turn's first step and in its last one without tools. None: the provider's own.",
  }),
  chatTemperature: parameter({
    group: 'Turns',
    change: 'live',
    type: orNone(decimal(TEMPERATURE)),
    default: null,
    help: "Temperature in a turn's first step and in its last one without tools. None: the provider's own.",
  }),
  toolMaxTokens: parameter({
    group: 'Turns',
    change: 'live',
    type: orNone(whole(ANSWER_TOKENS)),
    default: null,
    help: "Tokens of an answer, in steps after a tool's result. None: the provider's own.",
  }),
  toolTemperature: parameter({
    group: 'Turns',
    change: 'live',
    type: orNone(decimal(TEMPERATURE)),
    default: null,
    help: "Temperature in steps after a tool's result. None: the provider's own.",
  }),
  recentMsgLimit: parameter({
    group: 'Turns',
    change: 'live',
    type: whole({ min: 1, max: 1_000 }),
    default: 50,
    help: 'How many recent messages are read when nobody says how many.',
  }),
  timezone: parameter({
    group: 'Turns',
    change: 'live',
    type: orNone(timeZone),
    default: null,
    help: "The time zone in which times are told and read. None: the system's.",
  }),
  contextPolicy: parameter({
    group: 'Context',
    change: 'live',
    type: oneOf(['managed', 'explicit']),
    default: 'managed',
    help: 'Managed: old messages are summed up as a conversation grows. Explicit: nothing leaves the context but by command.',
  }),
  historyWindow: parameter({
    group: 'Context',
    change: 'live',
    type: whole({ min: 1, max: 10_000 }),
    default: 20,
    help: 'So many of the newest messages stay as they are where they fit, and so many at least are shown after a rewind.',
  }),
  compactionThreshold: parameter({
    group: 'Context',
    change: 'live',
    type: whole({ min: 2, max: 10_000 }),
    default: 40,
    help: 'When more messages than this are shown, the older ones are summed up after the next answer.',
  }),
  truncationLimit: parameter({
    group: 'Context',
    change: 'live',
    type: whole({ min: 3, max: 10_000 }),
    default: 100,
    help: 'Past so many messages older ones are summed up before the answer, by an extract if no model can.',
  }),
  compactionMaxTokens: parameter({
    group: 'Context',
    change: 'live',
    type: whole({ min: 50, max: 20_000 }),
    default: 500,
    help: 'How long a summary may be, in tokens.',
  }),
  compactionModel: parameter({
    group: 'Context',
    change: 'live',
    type: orNone(modelName),
    default: null,
    help: 'The model that sums up. None: summaryModel, else the model that answers.',
  }),
  summaryModel: parameter({
    group: 'Context',
    change: 'live',
    type: orNone(modelName),
    default: null,
    help: 'The model for summaries of any kind, where nothing more special is set. None: the model that answers.',
  }),
  recallLimit: parameter({
    group: 'Recall',
    change: 'live',
    type: whole({ min: 0, max: 50 }),
    default: 5,
    help: 'How many things said earlier are put beside a question by themselves. 0: none.',
  }),
  recallSnippetTokens: parameter({
    group: 'Recall',
    change: 'live',
    type: whole({ min: 20, max: 4_000 }),
    default: 300,
    help: 'How long each of them may be, in tokens.',
  }),
  recallDecay: parameter({
    group: 'Recall',
    change: 'live',
    type: decimal({ min: 0, max: 10 }),
    default: 0.1,
    help: 'How fast age counts against what was said; it never takes more than a fifth. 0: not at all.',
  }),
  recallAlpha: parameter({
    group: 'Recall',
    change: 'live',
    type: orNone(decimal({ min: 0, max: 1 })),
    default: null,
    help: "Share of the words in a search; the rest is the meaning's. None: what suits the embedder.",
  }),
  recallAcrossClear: parameter({
    group: 'Recall',
    change: 'live',
    type: yesOrNo,
    default: false,
    help: 'Whether what was said before a /clear or /new may come back by itself.',
  }),
  embedder: parameter({
    group: 'Recall',
    change: 'restart',
    type: embedder,
    default: 'static-en-128',
    help: 'Who compares meanings in a search: static-en-128 (built in), minilm (after: mainstem models pull), or none.',
  }),
  permissions: parameter({
    group: 'Tools',
    change: 'live',
    type: oneOf(['dontAsk', 'default', 'acceptEdits', 'bypassPermissions']),
    default: 'dontAsk',
    help: 'How calls are decided: dontAsk refuses what is not allowed, default asks; /permissions explains all four.',
  }),
  'skills.directory': parameter({
    group: 'Tools',
    change: 'reload',
    type: orNone(folder),
    default: null,
    help: 'Another folder with skills, behind the one in the home.',
  }),
  'skills.extraDirs': parameter({
    group: 'Tools',
    change: 'reload',
    type: folders,
    default: [],
    help: 'More folders with skills; one of a later folder takes the place of an earlier one of its name.',
  }),
  'skills.disabled': parameter({
    group: 'Tools',
    change: 'reload',
    type: skillNames,
    default: [],
    help: 'Skills that are not loaded.',
  }),
  'skills.contextMode': parameter({
    group: 'Tools',
    change: 'reload',
    type: oneOf(['full', 'readOnDemand']),
    default: 'full',
    help: 'What the model always sees of skills. Full: all. ReadOnDemand: their names; it reads those it needs.',
  }),
  'skills.roots': parameter({
    group: 'Tools',
    change: 'reload',
    type: folders,
    default: [],
    help: 'Folders besides the workspace that tools of skills may work in.',
  }),
  'skills.allowScripts': parameter({
    group: 'Tools',
    change: 'reload',
    type: yesOrNo,
    default: false,
    help: 'Whether scripts and !`commands` in the folders of skills may run.',
  }),
  'web.privateHosts': parameter({
    group: 'Tools',
    change: 'live',
    type: hostNames,
    default: [],
    help: 'Hosts of your own network, or of this machine, that web_fetch may reach all the same.',
  }),
  'web.searchProvider': parameter({
    group: 'Tools',
    change: 'reload',
    type: oneOf(['none', 'brave', 'tavily', 'searxng']),
    default: 'none',
    help: 'Who answers web_search; none: the model has no such tool.',
  }),
  'web.searchKey': parameter({
    group: 'Tools',
    change: 'live',
    type: orNone(secret),
    default: null,
    help: 'The key for brave or tavily.',
    isSecret: true,
  }),
  'web.searchUrl': parameter({
    group: 'Tools',
    change: 'live',
    type: orNone(webAddress),
    default: null,
    help: "Where SearXNG is, or another address for the provider. None: the provider's own.",
  }),
  'mcp.servers': parameter({
    group: 'Tools',
    change: 'reload',
    type: servers,
    default: {},
    help: 'MCP servers whose tools the model gets, by name.',
    isSecret: true,
  }),
  depthMax: parameter({
    group: 'Branches',
    change: 'live',
    type: whole({ min: 0, max: 50 }),
    default: 5,
    help: 'How deep branches may be forked from branches.',
  }),
  childrenMax: parameter({
    group: 'Branches',
    change: 'live',
    type: whole({ min: 0, max: 100 }),
    default: 8,
    help: 'How many children one branch may have at work; idle ones do not count.',
  }),
  runningMax: parameter({
    group: 'Branches',
    change: 'live',
    type: whole({ min: 1, max: 100 }),
    default: 4,
    help: 'How many branches run at once; turns that a person waits for do not count.',
  }),
  forkIdleTimeout: parameter({
    group: 'Branches',
    change: 'live',
    type: whole({ min: 1, max: 86_400 }),
    default: 600,
    help: 'Seconds without a word in a fork before the agent is asked to wrap it up.',
  }),
  bgConcurrency: parameter({
    group: 'Branches',
    change: 'live',
    type: whole({ min: 1, max: 100 }),
    default: 4,
    help: 'How many background runs work at once; the others wait for their turn.',
  }),
  bgForkTimeout: parameter({
    group: 'Branches',
    change: 'live',
    type: whole({ min: 1, max: 86_400 }),
    default: 1_800,
    help: 'Seconds that a background run may take before it is stopped.',
  }),
  ...backgroundParameters,
  childMaxRounds: parameter({
    group: 'Branches',
    change: 'live',
    type: whole({ min: 1, max: 50 }),
    default: 25,
    help: 'Rounds of tool calls in one turn of a child, in place of maxToolCalls.',
  }),
  maxRetries: parameter({
    group: 'Failures',
    change: 'restart',
    type: whole({ min: 0, max: 20 }),
    default: 3,
    help: 'How often a failed model call is tried again.',
  }),
  retryBackoff: parameter({
    group: 'Failures',
    change: 'restart',
    type: wholes({ min: 0, max: DAY_MS, countMax: 20 }),
    default: [0, 1_000, 3_000, 10_000],
    help: 'Milliseconds to wait before the first, second, third… attempt of a model call; the last repeats.',
  }),
  cbThreshold: parameter({
    group: 'Failures',
    change: 'restart',
    type: whole({ min: 1, max: 100 }),
    default: 3,
    help: 'After so many calls in a row that failed with all their retries, a model is left alone for a while.',
  }),
  cbBackoff: parameter({
    group: 'Failures',
    change: 'restart',
    type: wholes({ min: 0, max: DAY_MS, countMax: 20 }),
    default: [1_000, 5_000, 30_000],
    help: 'Milliseconds for which it is left alone the first, second, third… time in a row; the last repeats.',
  }),
  cbResetMs: parameter({
    group: 'Failures',
    change: 'restart',
    type: whole({ min: 1, max: 7 * DAY_MS }),
    default: 300_000,
    help: 'After so many milliseconds without a failure, earlier failures of a model are forgotten.',
  }),
  'keys.anthropic': providerKey('Anthropic', ['ANTHROPIC_API_KEY']),
  'keys.openai': providerKey('OpenAI', ['OPENAI_API_KEY']),
  'keys.google': providerKey('Google', ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY']),
  'keys.openrouter': providerKey('OpenRouter', ['OPENROUTER_API_KEY']),
  'keys.ollama': providerKey('an Ollama that asks for one', ['OLLAMA_API_KEY']),
  'urls.anthropic': providerUrl('Anthropic'),
  'urls.openai': providerUrl('OpenAI'),
  'urls.google': providerUrl('Google'),
  'urls.openrouter': providerUrl('OpenRouter'),
  'urls.ollama': parameter({
    group: 'Providers',
    change: 'restart',
    type: orNone(hostAddress),
    default: null,
    help: 'Where Ollama listens. None: port 11434 of this machine.',
    usualNames: ['OLLAMA_HOST'],
  }),
  'openaiCompatible.url': parameter({
    group: 'Providers',
    change: 'restart',
    type: orNone(webAddress),
    default: null,
    help: 'The address of the server behind openai-compatible/MODEL, such as http://127.0.0.1:8000/v1.',
  }),
  'openaiCompatible.key': providerKey('the server behind openai-compatible/MODEL, if it asks for one', []),
} satisfies Record<string, Parameter>

export type Key = keyof typeof parameters

export const keys = Object.keys(parameters) as readonly Key[]

/** The value of every parameter, by its key; `'keys.anthropic'` is `flat['keys.anthropic']`. */
export type FlatConfig = { readonly [K in Key]: (typeof parameters)[K]['default'] }

/** The value of every parameter, as config.json nests them: `config.keys.anthropic`. */
export type Config = {
  readonly [H in Head<Key>]: H extends Key
    ? FlatConfig[H]
    : { readonly [K in Key as K extends `${H}.${infer Tail}` ? Tail : never]: FlatConfig[K] }
}

type Head<K extends string> = K extends `${infer H}.${string}` ? H : K

function providerKey(whose: string, usualNames: readonly string[]): Parameter<string | null> {
  return {
    group: 'Providers',
    change: 'restart',
    type: orNone(secret),
    default: null,
    help: `The key for ${whose}.`,
    isSecret: true,
    usualNames,
  }
}

function providerUrl(whose: string): Parameter<string | null> {
  return {
    group: 'Providers',
    change: 'restart',
    type: orNone(webAddress),
    default: null,
    help: `Another address for ${whose}, such as that of a proxy. None: the provider's own.`,
  }
}
