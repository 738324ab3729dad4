/** Longer than other files: it is one table, with an entry for every setting. */
// One table of every setting, longer than 500 lines: whoever adds a setting finds its neighbours and their wording here.
import {
  dayHours,
  dayLimit,
  type DayLimit,
  embedder,
  guestSettings,
  identities,
  modelName,
  modelNames,
  pingPlace,
  thinking,
  timeOfDay,
  timeZone,
} from '../type/domain-type.ts'
import {
  addressRanges,
  commandLine,
  folder,
  folders,
  hostNames,
  serverModel,
  servers,
  skillNames,
} from '../type/tool-type.ts'
import {
  decimal,
  hostAddress,
  hostName,
  oneOf,
  orNone,
  orOff,
  secret,
  siteAddress,
  time,
  times,
  token,
  type ValueType,
  webAddress,
  whole,
  yesOrNo,
} from '../type/value-type.ts'

export interface SettingSpec<Value = unknown> {
  readonly group: Group
  /** When a running process uses a new value: with its next turn, after /reload, or after a restart. */
  readonly change: 'live' | 'reload' | 'restart'
  readonly type: ValueType<Value>
  readonly default: Value
  readonly help: string
  readonly isSecret?: boolean
  /** Names in the environment that other programs use for the same thing. */
  readonly usualNames?: readonly string[]
}

export type Group = (typeof groups)[number]
export const groups = [
  'Model',
  'Turns',
  'Context',
  'Recall',
  'Tools',
  'Attachments',
  'Branches',
  'Background',
  'Failures',
  'Providers',
  'Server',
  'Channels',
] as const

function settingsOf(group: Group, change: SettingSpec['change']) {
  // The type of the default follows from that of the values.
  const setting = <Value>(type: ValueType<Value>, standard: NoInfer<Value>, help: string) =>
    ({ group, change, type, default: standard, help }) as SettingSpec<Value>
  /** A setting that may be none, and is by default. */
  const unset = <Value>(type: ValueType<Value>, help: string) =>
    setting<Value | null>(orNone(type), null, help)
  return Object.assign(setting, { unset })
}

const model = settingsOf('Model', 'live')
const turns = settingsOf('Turns', 'live')
const context = settingsOf('Context', 'live')
const recall = settingsOf('Recall', 'live')
const tools = settingsOf('Tools', 'live')
const skills = settingsOf('Tools', 'reload')
const attachments = settingsOf('Attachments', 'live')
const branches = settingsOf('Branches', 'live')
const background = settingsOf('Background', 'live')
const failures = settingsOf('Failures', 'restart')
const providers = settingsOf('Providers', 'restart')
const connections = settingsOf('Channels', 'restart')
const server = settingsOf('Server', 'restart')
const channels = settingsOf('Channels', 'live')

const DAY_MS = 86_400_000
const ANSWER_TOKENS = { min: 1, max: 1_000_000 }
const TEMPERATURE = { min: 0, max: 2 }

/**
 * Every setting. Its key is its path in config.json; MAINSTEM_ and the key in upper snake case is its name in the
 * environment. An entry here is all that a new setting needs to be read, checked, listed and changed.
 */
export const settings = {
  model: model.unset(modelName, 'The model that answers. None: not chosen yet.'),
  fallbackModels: model(
    modelNames,
    [],
    'Models to try, in this order, when the model has failed after all its retries.',
  ),
  thinking: model(
    thinking,
    // As forks do, so that a fork's first prompt is in the provider's cache.
    'adaptive',
    'How much the model thinks before answering, if it can: off, adaptive (the model decides), or a budget in tokens.',
  ),
  costDayMax: model.unset(
    dayLimit,
    'The daily spending limit of you, guests and groups together; half of it for background work. None: no limit.',
  ),
  costDayWarn: model<DayLimit | null>(
    orNone(dayLimit),
    { unit: 'money', max: 5 },
    'When a person has used this much in a day, in money or tokens, they are told once. None: never.',
  ),
  priceUnknown: model(
    decimal({ min: 0, max: 10_000 }),
    15,
    'Dollars that a million tokens of a model count for if its price is not known. Models on this machine are free.',
  ),
  maxToolCalls: turns(
    whole({ min: 0, max: 50 }),
    30,
    'Maximum rounds of tool calls in one turn. Then the model is asked to say what is left; "go on" continues.',
  ),
  causedMaxCalls: turns(
    whole({ min: 1, max: 1_000_000 }),
    200,
    'Maximum model and tool calls a day that one message or one job causes, in all branches. "go on" continues.',
  ),
  causedMaxTokens: turns(
    whole({ min: 1, max: 1_000_000_000 }),
    1_000_000,
    'Maximum tokens a day that one message or one job causes, without cached ones. "go on" continues.',
  ),
  causedMaxBranches: turns(
    whole({ min: 0, max: 1_000 }),
    16,
    'Maximum branches a day that models fork because of one message or one job.',
  ),
  unattendedMaxCalls: turns(
    whole({ min: 0, max: 1_000_000 }),
    1_000,
    'Maximum model calls a day for jobs, all together. At it, jobs wait until the next day; reminders come as their text.',
  ),
  chatMaxTokens: turns.unset(
    whole(ANSWER_TOKENS),
    "Maximum tokens of an answer, in a turn's first step and in its final one. None: the provider's default.",
  ),
  chatTemperature: turns.unset(
    decimal(TEMPERATURE),
    "Temperature in a turn's first step and in its final one. None: the provider's default.",
  ),
  toolMaxTokens: turns.unset(
    whole(ANSWER_TOKENS),
    "Maximum tokens of an answer, in steps after a tool result. None: the provider's default.",
  ),
  toolTemperature: turns.unset(
    decimal(TEMPERATURE),
    "Temperature in steps after a tool result. None: the provider's default.",
  ),
  recentMsgLimit: turns(
    whole({ min: 1, max: 1_000 }),
    50,
    'How many recent messages are read when no number is given.',
  ),
  timezone: turns.unset(
    timeZone,
    "The time zone for reading and showing times. None: the system's time zone.",
  ),
  contextPolicy: context(
    oneOf(['managed', 'explicit']),
    'managed',
    'Managed: older messages are summarized as a conversation grows. Explicit: only commands change the context.',
  ),
  historyWindow: context(
    whole({ min: 1, max: 10_000 }),
    20,
    'How many of the newest messages are never summarized if they fit, and are shown again after a rewind.',
  ),
  compactionThreshold: context(
    whole({ min: 2, max: 10_000 }),
    40,
    'When more messages than this are shown, older ones are summarized after the answer. See compactionShare.',
  ),
  truncationLimit: context(
    whole({ min: 3, max: 10_000 }),
    100,
    'Beyond this many, older messages are summarized before the answer, even without a model. See compactionShare.',
  ),
  compactionShare: context(
    whole({ min: 0, max: 75 }),
    25,
    "Percent of the model's context below which a count of messages summarizes nothing. 0: only the count matters.",
  ),
  historyTokens: context<number | null>(
    orOff(whole({ min: 500, max: 10_000_000 })),
    32_000,
    'When the messages shown have more tokens than this, the older ones are summarized, so that prompts stay cheap.',
  ),
  compactionMaxTokens: context.unset(
    whole({ min: 50, max: 20_000 }),
    'Maximum length of a summary, in tokens. None: 500, or a twentieth of what it covers, up to 4,000.',
  ),
  compactionModel: context.unset(
    modelName,
    'The model that summarizes conversations. None: summaryModel, or else the model that answers.',
  ),
  summaryModel: context.unset(
    modelName,
    'The model for all summaries that have no model of their own. None: the model that answers.',
  ),
  recallLimit: recall(
    whole({ min: 0, max: 50 }),
    5,
    'How many earlier messages are added to a question automatically. 0: none.',
  ),
  recallSnippetTokens: recall(
    whole({ min: 20, max: 4_000 }),
    300,
    'Maximum length of each of these messages, in tokens.',
  ),
  recallDecay: recall(
    decimal({ min: 0, max: 10 }),
    0.1,
    'How fast older messages lose rank in a search, by a fifth at most. 0: age does not count.',
  ),
  recallAlpha: recall.unset(
    decimal({ min: 0, max: 1 }),
    'The weight of words in a search; meaning has the rest. None: a value that suits the embedder.',
  ),
  recallAcrossClear: recall(
    yesOrNo,
    false,
    'Whether messages from before a /clear or /new may be recalled automatically.',
  ),
  embedder: settingsOf('Recall', 'restart')(
    embedder,
    'static-en-128',
    'Compares meanings in a search: static-en-128 (built in), PROVIDER/MODEL (everything said is sent there), or none.',
  ),
  permissions: tools(
    oneOf(['dontAsk', 'default', 'acceptEdits', 'bypassPermissions']),
    'dontAsk',
    'How tool calls are decided: dontAsk refuses what is not allowed, default asks. /permissions explains all four.',
  ),
  approvalTimeout: tools(
    time('milliseconds', { min: 0, max: DAY_MS }),
    600_000,
    'How long a question about a call waits for your answer; then the call is refused. 0: it waits for ever.',
  ),
  sandbox: skills(
    oneOf(['auto', 'required', 'off']),
    'auto',
    'Programs of skills, MCP servers and the transcriber run in a box: where there is one (auto), only in one, or never.',
  ),
  'skills.directory': skills.unset(
    folder,
    "A folder with more skills, loaded after the one in Mainstem's home folder.",
  ),
  'skills.extraDirs': skills(
    folders,
    [],
    'More folders with skills, loaded in this order. A later skill replaces an earlier one of the same name.',
  ),
  'skills.disabled': skills(skillNames, [], 'Skills that are not loaded.'),
  'skills.guests': skills(
    skillNames,
    [],
    'Skills that guests may use too. Only skills without programs can be given to guests.',
  ),
  'skills.contextMode': skills(
    oneOf(['full', 'readOnDemand']),
    'full',
    'What the model always sees of skills. Full: everything. ReadOnDemand: names only; it reads what it needs.',
  ),
  'skills.roots': skills(folders, [], 'Folders besides the workspace that tools of skills may work in.'),
  'skills.allowScripts': skills(yesOrNo, false, 'Whether scripts and !`commands` in skill folders may run.'),
  'web.privateHosts': tools(
    hostNames,
    [],
    'Hosts in your own network or on this machine that web_fetch may reach.',
  ),
  'web.openHosts': tools(
    hostNames,
    ['wikipedia.org', 'open-meteo.com'],
    'Hosts, and those below them, of which web_fetch may read any address without asking.',
  ),
  'web.searchProvider': skills(
    oneOf(['none', 'brave', 'tavily', 'searxng']),
    'none',
    'The search service behind web_search. None: the model has no such tool.',
  ),
  'web.searchKey': { ...tools.unset(secret, 'The API key for brave or tavily.'), isSecret: true },
  'web.searchUrl': tools.unset(
    webAddress,
    "The URL of your SearXNG, or another URL for the search service. None: the service's own.",
  ),
  'mcp.servers': {
    ...skills(servers, {}, 'MCP servers whose tools the model can use, by name.'),
    isSecret: true,
  },
  'attachments.maxBytes': attachments(
    whole({ min: 0, max: 100_000_000 }),
    20_000_000,
    'Maximum size of a file that comes with a message, in bytes. A larger one is not downloaded.',
  ),
  'attachments.maxChars': attachments(
    whole({ min: 0, max: 500_000 }),
    40_000,
    'Maximum characters of a document or transcript that the model sees. The file itself is kept whole.',
  ),
  'transcriber.url': attachments.unset(
    webAddress,
    'A server with an OpenAI-compatible API that turns voice notes into text, such as https://api.openai.com/v1.',
  ),
  'transcriber.key': {
    ...attachments.unset(secret, 'The API key for transcriber.url, if it needs one.'),
    isSecret: true,
  },
  'transcriber.model': attachments(
    serverModel,
    'whisper-1',
    'The model that the server behind transcriber.url uses.',
  ),
  'transcriber.program': attachments(
    commandLine,
    [],
    "A program that prints the text of a voice note, and its arguments; the file's path is added. Used without a URL.",
  ),
  'transcriber.folders': attachments(
    folders,
    [],
    'Folders that this program sees and may write to in its box, such as that of its models.',
  ),
  'transcriber.network': attachments(
    yesOrNo,
    false,
    'Whether this program reaches the network from its box.',
  ),
  depthMax: branches(whole({ min: 0, max: 50 }), 5, 'How many levels deep branches can be forked.'),
  childrenMax: branches(
    whole({ min: 0, max: 100 }),
    8,
    'How many children of one branch may work at once; idle ones do not count.',
  ),
  runningMax: branches(
    whole({ min: 1, max: 100 }),
    4,
    'How many branches run at once; turns that a person is waiting for do not count.',
  ),
  forkIdleTimeout: branches(
    time('seconds', { min: 1, max: 86_400 }),
    600,
    'How long a fork has no message before the agent is asked to wrap it up.',
  ),
  bgConcurrency: branches(
    whole({ min: 1, max: 100 }),
    4,
    'How many background runs work at once; the others wait their turn.',
  ),
  bgForkTimeout: branches(
    time('seconds', { min: 1, max: 86_400 }),
    1_800,
    'How long a background run may take before it is stopped.',
  ),
  childMaxRounds: branches(
    whole({ min: 1, max: 50 }),
    25,
    'Maximum rounds of tool calls in one turn of a child, instead of maxToolCalls.',
  ),
  pingCapacity: background(
    whole({ min: 1, max: 1_000 }),
    5,
    'The most pings the budget can hold. Each one you are sent comes back over time.',
  ),
  pingRefillMinutes: background(
    time('minutes', { min: 1, max: 100_000 }),
    90,
    'How long until one ping of the budget is refilled.',
  ),
  pingCriticalMax: background(
    whole({ min: 0, max: 1_000 }),
    0,
    'How many critical pings a day come one by one; the rest are combined into one message. 0: no limit.',
  ),
  pingTtl: background(
    time('seconds', { min: 1, max: 7 * 86_400 }),
    1_800,
    'How soon a ping must be delivered; after that it becomes an update for main.',
  ),
  busyQuietSeconds: background(
    time('seconds', { min: 0, max: 86_400 }),
    60,
    'For this long after you wrote, you count as busy and only critical pings come.',
  ),
  quietHours: background.unset(
    dayHours,
    'Hours in which only critical pings and reminders come, such as 22:00-08:00. None: no quiet hours.',
  ),
  digestAt: background.unset(
    timeOfDay,
    'When you get a daily digest of reports that did not become pings, such as 18:00. None: no digest.',
  ),
  'pings.to': background.unset(
    pingPlace,
    'Where pings go: a channel, or CHANNEL:CONVERSATION. None: where you wrote last.',
  ),
  webhookRateMax: background(
    whole({ min: 1, max: 100_000 }),
    60,
    'How many requests a minute each webhook takes; more are refused with 429.',
  ),
  dedupTtl: background(
    time('milliseconds', { min: 0, max: DAY_MS }),
    30_000,
    'How long a request without a key of its own counts as a repetition of an equal one that was answered.',
  ),
  progressThrottle: background(
    time('milliseconds', { min: 0, max: DAY_MS }),
    3_000,
    'How long between two lines about tools in a chat app, while an answer is being written.',
  ),
  'terminal.notify': background(
    oneOf(['off', 'bell', 'all']),
    'all',
    'A ping or reminder in an open chat rings the bell; all: also a desktop notification and the window title.',
  ),
  maxRetries: failures(whole({ min: 0, max: 20 }), 3, 'How often a failed model call is tried again.'),
  retryBackoff: failures(
    times('milliseconds', { min: 0, max: DAY_MS }, 20),
    [0, 1_000, 3_000, 10_000],
    'How long to wait before the first, second, third… attempt of a model call; the last repeats.',
  ),
  cbThreshold: failures(
    whole({ min: 1, max: 100 }),
    3,
    'After this many calls in a row failed despite their retries, a model is not called for a while.',
  ),
  cbBackoff: failures(
    times('milliseconds', { min: 0, max: DAY_MS }, 20),
    [1_000, 5_000, 30_000],
    'How long it is not called the first, second, third… time in a row; the last repeats.',
  ),
  cbResetMs: failures(
    time('milliseconds', { min: 1, max: 7 * DAY_MS }),
    300_000,
    'How long without a failure until earlier failures of a model are forgotten.',
  ),
  keyStore: providers(
    oneOf(['file', 'keyring']),
    'file',
    'Where keys and tokens are kept: config.json, or the keyring of the system. Setting it moves them there.',
  ),
  'keys.anthropic': providerKey('Anthropic', ['ANTHROPIC_API_KEY']),
  'keys.openai': providerKey('OpenAI', ['OPENAI_API_KEY']),
  'keys.google': providerKey('Google', ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY']),
  'keys.openrouter': providerKey('OpenRouter', ['OPENROUTER_API_KEY']),
  'keys.ollama': providerKey('an Ollama server that needs one', ['OLLAMA_API_KEY']),
  'urls.anthropic': providerUrl('Anthropic'),
  'urls.openai': providerUrl('OpenAI'),
  'urls.google': providerUrl('Google'),
  'urls.openrouter': providerUrl('OpenRouter'),
  'urls.ollama': {
    ...providers.unset(hostAddress, 'Where Ollama listens. None: port 11434 on this machine.'),
    usualNames: ['OLLAMA_HOST'],
  },
  'openaiCompatible.url': providers.unset(
    webAddress,
    'The URL of the server behind openai-compatible/MODEL, such as http://127.0.0.1:8000/v1.',
  ),
  'openaiCompatible.key': providerKey('the server behind openai-compatible/MODEL, if it needs one', []),
  'openaiCompatible.price': providers.unset(
    decimal({ min: 0, max: 10_000 }),
    'Dollars per million tokens of that server. None: free on this machine or a private network, else priceUnknown.',
  ),
  host: server(
    hostName,
    '127.0.0.1',
    "The address that 'mainstem serve' listens on. 0.0.0.0: all addresses of this machine; then set publicUrl too.",
  ),
  port: server(
    whole({ min: 0, max: 65_535 }),
    7420,
    "The port that 'mainstem serve' listens on. 0: any that is free.",
  ),
  token: {
    ...server.unset(
      token,
      "The secret that programs send to 'mainstem serve'. None: the one in the file token in the home.",
    ),
    isSecret: true,
  },
  v1PatienceMs: {
    ...server.unset(
      time('milliseconds', { min: 1, max: DAY_MS }),
      'How long a request to /v1 is kept waiting for its answer, unless it says so itself. None: as long as it takes.',
    ),
    change: 'live',
  },
  publicUrl: server.unset(
    siteAddress,
    'The URL by which a proxy, or another machine, reaches the server. None: only this machine does.',
  ),
  trustedProxies: server(
    addressRanges,
    [],
    'Proxies whose X-Forwarded-For header is believed. Bounds for each sender then count who is behind them.',
  ),
  logLevel: server(
    oneOf(['debug', 'info', 'warn', 'error', 'silent']),
    'info',
    "What 'mainstem serve --log-format json' logs: this and what is more important.",
  ),
  'telegram.token': {
    ...connections.unset(
      secret,
      "The token of your Telegram bot, from @BotFather. 'mainstem serve' then answers there.",
    ),
    isSecret: true,
  },
  'telegram.url': connections.unset(
    webAddress,
    'The URL of a Bot API server of your own. None: https://api.telegram.org.',
  ),
  maxReconnect: connections(
    whole({ min: 0, max: 1_000 }),
    10,
    'How often a channel that lost its connection tries again quickly. Then it tries every reconnectMaxDelay.',
  ),
  reconnectBaseDelay: connections(
    time('milliseconds', { min: 1, max: DAY_MS }),
    5_000,
    'How long before the first of these attempts. It doubles with each attempt.',
  ),
  reconnectMaxDelay: connections(
    time('milliseconds', { min: 1, max: DAY_MS }),
    300_000,
    'The longest time between two attempts of a channel to connect.',
  ),
  reconnectJitter: connections(
    time('milliseconds', { min: 0, max: DAY_MS }),
    2_000,
    'Up to this is added at random, so that channels do not connect all at once.',
  ),
  links: channels(
    identities,
    [],
    'Your own accounts, such as telegram:12345. Messages from them count as yours, without pairing.',
  ),
  guests: channels(
    guestSettings,
    {},
    'The daily limit of each guest (costDayMax; else a tenth of yours, or $1), and what differs for some, by their ids.',
  ),
  rateLimitMax: channels(
    whole({ min: 1, max: 100_000 }),
    30,
    'How many messages of one person are answered within rateLimitWindow. More wait; ten times as many are refused.',
  ),
  rateLimitWindow: channels(
    time('milliseconds', { min: 1_000, max: DAY_MS }),
    60_000,
    'The time in which rateLimitMax counts.',
  ),
} satisfies Record<string, SettingSpec>

export type Key = keyof typeof settings

export const keys = Object.keys(settings) as readonly Key[]

/** The value of every setting, by its key; `'keys.anthropic'` is `flat['keys.anthropic']`. */
export type FlatConfig = { readonly [K in Key]: (typeof settings)[K]['default'] }

/** The value of every setting, as config.json nests them: `config.keys.anthropic`. */
export type Config = {
  readonly [H in Head<Key>]: H extends Key
    ? FlatConfig[H]
    : { readonly [K in Key as K extends `${H}.${infer Tail}` ? Tail : never]: FlatConfig[K] }
}

type Head<K extends string> = K extends `${infer H}.${string}` ? H : K

function providerKey(whose: string, usualNames: readonly string[]): SettingSpec<string | null> {
  const spec = providers.unset(secret, `The API key for ${whose}.`)
  return { ...spec, isSecret: true, usualNames }
}

function providerUrl(whose: string): SettingSpec<string | null> {
  return providers.unset(webAddress, `Another URL for ${whose}, such as a proxy. None: the provider's own.`)
}
