import { posix } from 'node:path'

/**
 * The house: its rooms in ranks, each with its doors, the files that other rooms may import. A file may import its own
 * room and the doors of rooms in earlier rows; rooms of one row do not know each other. `*` opens every file: such a
 * room is vocabulary that others share.
 */
export const HOUSE: readonly Readonly<Record<string, string>>[] = [
  {
    base: '*',
  },
  {
    event: '*',
  },
  {
    'config/type': 'domain-type server-problem server-words tool-type value-type',
  },
  {
    'config/table': 'key presets settings source wording',
  },
  {
    'config/file': 'edit env-file json-file schema',
  },
  {
    config: 'config hook-secret listing own-home provider-access search-needs write',
    owner: '*',
    client: '*',
  },
  {
    log: `
      damage folding log memory salvage sqlite sqlite-error sqlite-file sqlite-schema sqlite-store
      staged store store-log store-reader writer-lock
    `,
    context: '*',
    channel: 'channel reconnect',
    memory: '*',
    tool: 'allowed-tools define-tool json-schema star-fits tool',
    'tool/process':
      'box boxes exit-text find-binary left-behind minimal-environment reading-thread run-program start-program watchdog',
    'recall/words': 'letters stem stop-words words',
    'model/contract': 'bounded-reply fault images model sleep think-tag watch',
  },
  {
    'channel/terminal': 'port',
    'channel/render': 'lex telegram',
    'tool/files': 'file-tools folder path protection workspace write-tool',
    'tool/web': 'readable web-address web-fetch web-search',
    'model/ai-sdk': 'adapter embedding providers',
    'model/ollama': 'ollama',
    'model/extract': 'extract sentences worth',
    permission: '*',
    schedule: `
      definition definition-fields forward-schedule job-shelf new-reminder occurrence payload-check
      quiet-hours read-definition shelving webhook-task when write-definition
    `,
    'recall/contract': 'document embedder index-error recall text-index',
  },
  {
    file: 'content-type file-store take-files transcriber',
    'channel/telegram': 'examine telegram',
    model: 'known-models models resilient spending',
    'model/offline': 'offline',
    'skill/executor': 'hardening load-tools plan programs',
    mcp: 'client report-updates sdk server',
  },
  {
    skill: 'context-text copy-folder dynamic-context load-skills read-skill skill skill-folder',
    'recall/index': 'follower index-file index-schema sqlite-index',
    'channel/terminal/text': 'growing look markdown-inline neutral ping-lines transcript wrap',
  },
  {
    'recall/vector': 'embedders sqlite-vectors static-encoder vector-follower',
    'channel/terminal/input': 'editor-rows keys prompt questions',
  },
  {
    'recall/search': 'people searcher',
    'recall/scope': 'fate scope standing',
    'channel/terminal/screen': 'screen',
  },
  {
    recall: 'asking live memory-text snippet speaker working',
  },
  {
    task: '*',
  },
  {
    'agent/state': '*',
  },
  {
    'agent/contract': '*',
  },
  {
    'agent/step': 'end-subtree ending job-in-main run-report take-inbox',
  },
  {
    'agent/compaction': 'compaction-due compaction-notice compactions compactor prompt-size',
  },
  {
    'agent/branch': `
      binding context-acts due embed-text enter-act fork-act fork-end fork-extract idle kill-act
      mail-acts named people-acts refusals reply-act save-act stop-act
    `,
  },
  {
    'agent/ping': `
      budget-now budget-text chore digest notices ping-account ping-chores
      ping-obstacle ping-settling pinging snooze-act
    `,
  },
  {
    'agent/right': 'call-wording gating proposing',
  },
  {
    'agent/run': 'chain-text preamble run-act run-end',
  },
  {
    'agent/job': 'due-jobs pause-end reminder-list reminding scheduler todo-list webhook-calls',
  },
  {
    'agent/turn': 'call-prompt calls turn',
  },
  {
    'agent/loop': 'chore-keeper lanes post tries',
  },
  {
    agent: 'agent',
  },
  {
    'agent/tools': `
      asked-command compact-session follow-up fork-tools help marks ping read-log recall remember
      reminders report-updates send-file todo wait
    `,
  },
  {
    view: '*',
  },
  {
    'view/background': '*',
    'view/chat': '*',
    'view/prompt': '*',
    'view/river': '*',
  },
  {
    'command/read': `
      arguments catalogue catalogue-branches catalogue-jobs catalogue-pings complete help-text
      parse ping-words rights
    `,
  },
  {
    'command/desk': '*',
  },
  {
    'command/commands': 'dispatch settings-commands slash',
  },
  {
    'command/door': 'gate pressed reception',
  },
  {
    'runtime/home': `
      config-change found-models guest-jobs home home-boxes home-files home-jobs home-recall home-skills job-edit
      live-config model-shelf open-log recall-state skill-places todo-lock workspace
    `,
  },
  {
    'runtime/store': 'doctor export import lines',
    'runtime/tool': 'job-file own-tools skill-for-job toolbox',
  },
  {
    'runtime/life': 'life page-channel program-channel reported-update',
  },
  {
    'runtime/terminal': 'asked-run chat-port chat-seat conversation exchange place seats status-line',
  },
  {
    'server/stream': 'broadcast stream-reader',
  },
  {
    'server/contract': '*',
  },
  {
    'server/api': 'acts chat home-acts job-files lines page stream',
    'server/door': 'door pages pool routes secrets sessions',
    'server/health': 'health',
    'server/v1': 'error routes',
    'server/read':
      'background-reads chat-reads context-reads home-reads memory-reads river-reads said-reads work-reads',
  },
  {
    'server/hook': 'hook',
  },
  {
    server: 'listen log',
  },
  {
    'cli/frame': '*',
  },
  {
    'cli/talk': 'join lines live printer run serve talk write-log',
  },
  {
    'cli/store': 'config doctor export import mcp models open skills',
    'cli/supervise': 'supervise',
  },
  {
    'cli/job': 'job-home jobs ping-budget people todo',
  },
  {
    'cli/look': 'agents context log recall status tour updates',
  },
  {
    cli: '',
  },
]

/** The folder of a file below `src`. */
export function roomOf(path: string): string {
  return posix.dirname(path).replace(/^src\/?/, '')
}

/** -1: the house has no such room. */
export function rankOf(room: string): number {
  return HOUSE.findIndex((rank) => room in rank)
}
