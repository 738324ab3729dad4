import { specOf } from '../../config/table/key.ts'
import type { Key } from '../../config/table/settings.ts'
import { namesPath, sendsTexts } from '../../config/type/domain-type.ts'
import type { Json } from '../../base/json.ts'
import type { Origin } from '../../event/speaker.ts'
import type { CommandName, ParsedCommand } from './catalogue.ts'

/** What is asked for, parsed: a command, a new value of a setting (none: it is removed), or a request to the API. */
export type Asked =
  | { readonly command: ParsedCommand }
  | { readonly key: Key; readonly json: Json | undefined }
  | { readonly route: string }

/** `neighbour`: whoever calls by a name of this machine, without token or session. */
type Seeker = Origin | 'neighbour'

/** The one check (RIGHT1). What has no row is for nobody. */
export function may(seeker: Seeker, asked: Asked): boolean {
  const row = rowOf(asked)
  if (row.includes(seeker)) return true
  return seeker === 'program --yes' && row.includes('program')
}

/** Why a command or a change of a setting is refused, and where it may be done; undefined: it may be done here. */
export function refusedHere(origin: Origin, asked: Exclude<Asked, { route: string }>): string | undefined {
  if (may(origin, asked)) return undefined
  const [what, typed] = 'key' in asked ? settingWords(asked) : commandWords(asked.command)
  if (may('program --yes', asked) && origin === 'program')
    return `${what} changes what the agent may do, so -p and pipes need --yes for it. Nothing was done.`
  return may('terminal', asked)
    ? `${what} is not possible ${PLACES[origin]}. Type it in a terminal: ${typed}`
    : `${what} is not possible ${PLACES[origin]}.`
}

/** Whether a command may be used there in some form. */
export function mayEver(origin: Origin, name: CommandName): boolean {
  const row = COMMANDS[name]
  return typeof row === 'function' || row.includes(origin)
}

function rowOf(asked: Asked): Row {
  if ('route' in asked) return ROUTES[asked.route] ?? NOBODY
  const row = ('key' in asked ? SETTINGS[asked.key] : COMMANDS[asked.command.name]) as
    | Row
    | ((asked: unknown) => Row)
    | undefined
  if (typeof row !== 'function') return row ?? NOBODY
  return row('key' in asked ? valueOf(asked) : asked.command)
}

/** As it would count: a blank before a word, or another spelling, is no other value. */
function valueOf({ key, json }: Extract<Asked, { key: Key }>): unknown {
  const { type, default: standard } = specOf(key)
  if (json === undefined) return standard
  const parsed = type.schema.safeParse(typeof json === 'string' ? type.fromText(json) : json)
  return parsed.success ? parsed.data : json
}

function settingWords(asked: Extract<Asked, { key: Key }>): readonly [what: string, typed: string] {
  const { key, json } = asked
  if (json === undefined) return [`Removing ${key}`, `mainstem config unset ${key}`]
  const value = typeof SETTINGS[key] === 'function' ? String(valueOf(asked)) : 'VALUE'
  return [
    value === 'VALUE' ? `Setting ${key}` : `Setting ${key} to ${value}`,
    `mainstem config set ${key} ${value}`,
  ]
}

function commandWords(command: ParsedCommand): readonly [what: string, typed: string] {
  switch (command.name) {
    case 'attach':
      return ['/attach', 'mainstem, and there /attach PATH. Here, send the file itself.']
    case 'pair':
      return ['/pair approve CODE me', 'mainstem pair approve CODE me']
    case 'permissions':
      return [`/permissions ${command.mode}`, `mainstem config set permissions ${command.mode}`]
    default:
      return [`/${command.name}`, `mainstem, and there /${command.name}`]
  }
}

const PLACES: Readonly<Record<Origin, string>> = {
  terminal: 'in a terminal',
  program: 'for a program',
  'program --yes': 'for a program',
  page: 'on the page',
  phone: 'in a chat app',
  token: 'with the token',
  hook: 'for a webhook',
  editor: 'in an editor',
  operator: 'for an operator',
  model: 'for a model',
  import: 'for an import',
}

/** The mode in which everything runs. */
const BYPASS = 'bypassPermissions'

type Row = readonly Seeker[]
const NOBODY: Row = []

/** A person, wherever they are, and programs that speak for them. */
const PERSON: Row = ['terminal', 'operator', 'page', 'phone', 'editor', 'program']
const PERSON_OR_MODEL: Row = [...PERSON, 'model']
/** A person, wherever they are: it lets the agent do more than before. */
const DECIDED: Row = ['terminal', 'operator', 'page', 'phone', 'editor', 'program --yes']
/** It loosens rights: somebody with an unlocked phone, or a page that was left open, must not do that. */
const LOOSENS: Row = ['terminal', 'operator', 'program --yes']
/** It names a path of this machine, or a program on it. */
const MACHINE: Row = ['terminal', 'program --yes']

const isPath = (value: unknown): boolean =>
  [value].flat().some((one) => typeof one === 'string' && namesPath(one))

/** Rows of commands; one that loosens in some forms only has a function of what was typed. */
const COMMANDS: {
  readonly [N in CommandName]: Row | ((command: Extract<ParsedCommand, { readonly name: N }>) => Row)
} = {
  agents: PERSON,
  allow: ({ text }) => (text === null ? PERSON : DECIDED),
  approvals: PERSON,
  approve: DECIDED,
  attach: MACHINE,
  'check-mail': PERSON_OR_MODEL,
  clear: PERSON_OR_MODEL,
  compact: PERSON,
  context: PERSON,
  cost: PERSON,
  deny: PERSON,
  disallow: PERSON,
  done: PERSON,
  edit: PERSON,
  exit: PERSON_OR_MODEL,
  expand: PERSON,
  fork: PERSON_OR_MODEL,
  help: PERSON,
  here: PERSON,
  kill: PERSON_OR_MODEL,
  less: PERSON,
  mark: PERSON_OR_MODEL,
  memory: PERSON,
  model: ({ model }) => (model === null ? PERSON : isPath(model) ? MACHINE : DECIDED),
  new: PERSON,
  note: PERSON,
  pair: (asked) => {
    if (asked.act === 'list') return PERSON
    return asked.act === 'approve' && asked.as === 'me' ? LOOSENS : DECIDED
  },
  pause: PERSON,
  people: PERSON,
  permissions: ({ mode }) => (mode === null ? PERSON : mode === BYPASS ? LOOSENS : DECIDED),
  'ping-budget': PERSON,
  recall: PERSON,
  redo: PERSON,
  reload: PERSON,
  remember: PERSON,
  reminders: PERSON,
  reply: PERSON,
  report: PERSON_OR_MODEL,
  resume: PERSON,
  retry: PERSON,
  rewind: PERSON,
  routines: PERSON,
  run: PERSON,
  save: PERSON_OR_MODEL,
  send: PERSON_OR_MODEL,
  skills: ({ allow }) => (allow === null ? PERSON : DECIDED),
  snooze: PERSON,
  stop: PERSON,
  switch: PERSON,
  system: PERSON,
  thinking: PERSON,
  timezone: PERSON,
  todo: PERSON,
  tools: PERSON,
  undo: PERSON,
  updates: PERSON,
}

/** What a person changes with a command of a shell, or on the page. */
const BY_HAND: Row = ['terminal', 'operator', 'page', 'program']

/** Rows of settings; one that loosens with some values only has a function of the value. */
const SETTINGS: Readonly<Record<Key, Row | ((value: unknown) => Row)>> = {
  approvalTimeout: BY_HAND,
  'attachments.maxBytes': BY_HAND,
  'attachments.maxChars': BY_HAND,
  bgConcurrency: BY_HAND,
  bgForkTimeout: BY_HAND,
  busyQuietSeconds: BY_HAND,
  causedMaxBranches: BY_HAND,
  causedMaxCalls: BY_HAND,
  causedMaxTokens: BY_HAND,
  cbBackoff: BY_HAND,
  cbResetMs: BY_HAND,
  cbThreshold: BY_HAND,
  chatMaxTokens: BY_HAND,
  chatTemperature: BY_HAND,
  childMaxRounds: BY_HAND,
  childrenMax: BY_HAND,
  compactionMaxTokens: BY_HAND,
  compactionModel: (name) => (isPath(name) ? MACHINE : BY_HAND),
  compactionShare: BY_HAND,
  compactionThreshold: BY_HAND,
  contextPolicy: BY_HAND,
  costDayMax: BY_HAND,
  costDayWarn: BY_HAND,
  dedupTtl: BY_HAND,
  depthMax: BY_HAND,
  digestAt: BY_HAND,
  embedder: (name) => (typeof name === 'string' && sendsTexts(name) ? LOOSENS : BY_HAND),
  fallbackModels: (name) => (isPath(name) ? MACHINE : BY_HAND),
  forkIdleTimeout: BY_HAND,
  guests: BY_HAND,
  historyTokens: BY_HAND,
  historyWindow: BY_HAND,
  host: LOOSENS,
  keyStore: LOOSENS,
  'keys.anthropic': BY_HAND,
  'keys.google': BY_HAND,
  'keys.ollama': BY_HAND,
  'keys.openai': BY_HAND,
  'keys.openrouter': BY_HAND,
  links: LOOSENS,
  logLevel: BY_HAND,
  maxReconnect: BY_HAND,
  maxRetries: BY_HAND,
  maxToolCalls: BY_HAND,
  'mcp.servers': MACHINE,
  model: (name) => (isPath(name) ? MACHINE : PERSON),
  'openaiCompatible.key': BY_HAND,
  'openaiCompatible.price': BY_HAND,
  'openaiCompatible.url': LOOSENS,
  permissions: (mode) => (mode === BYPASS ? LOOSENS : PERSON),
  pingCapacity: PERSON,
  pingCriticalMax: BY_HAND,
  pingRefillMinutes: PERSON,
  'pings.to': PERSON,
  pingTtl: BY_HAND,
  port: BY_HAND,
  priceUnknown: BY_HAND,
  progressThrottle: BY_HAND,
  publicUrl: LOOSENS,
  quietHours: BY_HAND,
  rateLimitMax: BY_HAND,
  rateLimitWindow: BY_HAND,
  recallAcrossClear: BY_HAND,
  recallAlpha: BY_HAND,
  recallDecay: BY_HAND,
  recallLimit: BY_HAND,
  recallSnippetTokens: BY_HAND,
  recentMsgLimit: BY_HAND,
  reconnectBaseDelay: BY_HAND,
  reconnectJitter: BY_HAND,
  reconnectMaxDelay: BY_HAND,
  retryBackoff: BY_HAND,
  runningMax: BY_HAND,
  sandbox: LOOSENS,
  'skills.allowScripts': LOOSENS,
  'skills.contextMode': BY_HAND,
  'skills.directory': MACHINE,
  'skills.disabled': BY_HAND,
  'skills.extraDirs': MACHINE,
  'skills.guests': BY_HAND,
  'skills.roots': MACHINE,
  summaryModel: (name) => (isPath(name) ? MACHINE : BY_HAND),
  'telegram.token': LOOSENS,
  'telegram.url': LOOSENS,
  'terminal.notify': BY_HAND,
  thinking: PERSON,
  timezone: PERSON,
  token: LOOSENS,
  toolMaxTokens: BY_HAND,
  toolTemperature: BY_HAND,
  'transcriber.key': BY_HAND,
  'transcriber.model': BY_HAND,
  'transcriber.folders': MACHINE,
  'transcriber.network': LOOSENS,
  'transcriber.program': MACHINE,
  'transcriber.url': LOOSENS,
  truncationLimit: BY_HAND,
  trustedProxies: LOOSENS,
  unattendedMaxCalls: BY_HAND,
  'urls.anthropic': LOOSENS,
  'urls.google': LOOSENS,
  'urls.ollama': LOOSENS,
  'urls.openai': LOOSENS,
  'urls.openrouter': LOOSENS,
  v1PatienceMs: BY_HAND,
  'web.openHosts': LOOSENS,
  'web.privateHosts': LOOSENS,
  'web.searchKey': BY_HAND,
  'web.searchProvider': LOOSENS,
  'web.searchUrl': LOOSENS,
  webhookRateMax: BY_HAND,
}

/** Processes of this user on this machine. */
const SOCKET: Row = ['terminal', 'operator', 'program']
/** A screen: what is typed there comes from a terminal. */
const SEAT: Row = ['terminal', 'operator']
/** All that is the owner's, also programs with the token. */
const OWNER: Row = [...BY_HAND, 'token']
/** It asks for a secret of its own. */
const OPEN: Row = [...OWNER, 'hook']
/** It tells nothing, by a name of this machine. */
const OPEN_HERE: Row = [...OWNER, 'neighbour']

/** Rows of the API. */
const ROUTES: Readonly<Record<string, Row>> = {
  'GET /api/agents': OWNER,
  'GET /api/approvals': OWNER,
  'GET /api/around': OWNER,
  'GET /api/background': OWNER,
  'GET /api/branches': OWNER,
  'POST /api/chat/:id/shown': SEAT,
  'GET /api/chat/:id/stream': SEAT,
  'GET /api/completions': OWNER,
  'GET /api/config': OWNER,
  'POST /api/config': BY_HAND,
  'GET /api/context': OWNER,
  'GET /api/context/difference': OWNER,
  'GET /api/context/prompt': OWNER,
  'GET /api/context/raw': OWNER,
  'GET /api/context/text': OWNER,
  'GET /api/context/turn': OWNER,
  'GET /api/context/turns': OWNER,
  'GET /api/cost': OWNER,
  'POST /api/files': BY_HAND,
  'GET /api/files/:hash': OWNER,
  'POST /api/grants': LOOSENS,
  'GET /api/hello': OWNER,
  'GET /api/job-file': OWNER,
  'POST /api/job-file': BY_HAND,
  'POST /api/job-file/check': OWNER,
  'GET /api/jobs': OWNER,
  'GET /api/jobs/:kind/:id': OWNER,
  'POST /api/lines': SOCKET,
  'GET /api/lines/:thread': SOCKET,
  'POST /api/links': SOCKET,
  'GET /api/log': OWNER,
  'GET /api/memory': OWNER,
  'POST /api/memory': BY_HAND,
  'GET /api/messages': OWNER,
  'GET /api/models': OWNER,
  'POST /api/models/test': BY_HAND,
  'GET /api/openapi.json': OWNER,
  'POST /api/owner/hand-over': SOCKET,
  'GET /api/people': OWNER,
  'GET /api/pings': OWNER,
  'DELETE /api/queued/:position': BY_HAND,
  'GET /api/recall': OWNER,
  'GET /api/river': OWNER,
  'GET /api/runs': OWNER,
  'POST /api/runs': SOCKET,
  'DELETE /api/runs/:run': SOCKET,
  'POST /api/say': BY_HAND,
  'GET /api/sessions': BY_HAND,
  'DELETE /api/sessions': BY_HAND,
  'DELETE /api/sessions/:id': BY_HAND,
  'POST /api/sign-in': OPEN,
  'POST /api/sign-out': BY_HAND,
  'GET /api/skills': OWNER,
  'GET /api/status': OWNER,
  'GET /api/storage': OWNER,
  'GET /api/stream': OWNER,
  'GET /api/timeline': OWNER,
  'GET /api/todos': OWNER,
  'POST /api/todos': BY_HAND,
  'GET /api/tools': OWNER,
  'POST /api/typed': SEAT,
  'GET /api/updates': OWNER,
  'POST /api/updates': OWNER,
  'GET /healthz': OPEN_HERE,
  'POST /hook/:id': OPEN,
  'GET /metrics': OWNER,
  'GET /readyz': OPEN_HERE,
  'POST /v1/chat/completions': OWNER,
  'GET /v1/models': OWNER,
  'GET /v1/models/mainstem': OWNER,
}
