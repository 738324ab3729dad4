import type { ActTool } from '../../agent/contract/act.ts'
import { grantsIn, lapsedGrants } from '../../agent/state/approvals.ts'
import { runAbove } from '../../agent/state/run.ts'
import { openingOf } from '../../agent/state/asker.ts'
import { contentOf, setupNow } from '../../agent/state/setup.ts'
import { nameOfPerson, roleOf } from '../../agent/state/person.ts'
import { rememberTool } from '../../agent/tools/remember.ts'
import type { Propose } from '../../agent/right/proposing.ts'
import type { Desk } from '../../command/desk/desk.ts'
import type { ReadSetup } from '../../command/desk/setup-change.ts'
import type { Clock } from '../../base/clock.ts'
import type { Sleep } from '../../model/contract/sleep.ts'
import type { Config } from '../../config/table/settings.ts'
import { searchNeeds } from '../../config/search-needs.ts'
import { getBranch } from '../../context/branch.ts'
import type { ToolSpec } from '../../event/prompt.ts'
import type { StartedProcess } from '../../event/work.ts'
import type { Log } from '../../log/log.ts'
import { openMcp } from '../../mcp/client.ts'
import { MEMORY_FILE, memoryLines } from '../../memory/memory-file.ts'
import { needsReadSkill, readSkillTool, type LoadBody } from '../../skill/read-skill.ts'
import type { LoadedSkills } from '../../skill/skill.ts'
import { fileTools } from '../../tool/files/file-tools.ts'
import { PathError } from '../../tool/files/path.ts'
import { endOutgrown } from '../../tool/process/watchdog.ts'
import type { Tool } from '../../tool/tool.ts'
import { webFetchTool } from '../../tool/web/web-fetch.ts'
import { homeBoxes } from '../home/home-boxes.ts'
import { loadHomeSkills } from '../home/home-skills.ts'
import { shippedSkills, skillDirectories } from '../home/skill-places.ts'
import { isProtectedIn } from './protected-files.ts'
import type { JobParts } from './job-setup.ts'
import { skillForJob } from './skill-for-job.ts'
import { systemText, type SystemParts } from './system-text.ts'
import { readAgents, workspaceIn } from '../home/workspace.ts'

export interface ToolboxParts {
  readonly home: string
  /** Whose tools these are; for a guest or a group, `values` have what they may use. */
  readonly person: string
  /** The person's files. */
  readonly root: string
  readonly log: Log
  readonly values: () => Config
  /** The environment for skills and servers, without the secrets of this process. */
  readonly environment: Readonly<Record<string, string>>
  /** Told of each program that belongs to no call. */
  readonly started: (process: StartedProcess) => void
  /** The tools that need the agent, in the order models see them. */
  readonly own: readonly (Tool | ActTool)[]
  readonly propose: Propose
  readonly warn: (text: string) => void
  readonly now: Clock
  readonly sleep: Sleep
}

type Texts = Omit<SystemParts, 'skills'>

/** All tools and the system text, from files and MCP servers. Read at the start and by /reload. */
export class Toolbox {
  readonly workspace: Desk['workspace']
  readonly #parts: ToolboxParts
  readonly #mcp: ReturnType<typeof openMcp>
  readonly #files: readonly Tool[]
  #loaded: LoadedSkills = { skills: [], reports: [] }
  #tools: readonly (Tool | ActTool)[] = []
  /** read_skill, where prompts leave it out: runs can still call it. */
  #untold: readonly Tool[] = []
  #texts: Texts = { agents: '', memory: '', mode: 'full' }

  constructor(parts: ToolboxParts) {
    const { home, root, values, propose } = parts
    this.#parts = parts
    const workspace = workspaceIn(home, root)
    this.workspace = {
      root,
      read: (path) => workspace.read(path),
      write: (path, text) => workspace.write(path, text),
    }
    const isProtected = isProtectedIn(root, () => skillDirectories(home, values()))
    this.#files = fileTools({
      workspace,
      isProtected,
      propose: (call, change) => propose(call, { kind: 'file', ...change }),
    })
    const servers = () => values().mcp.servers
    const { environment, started, now, sleep, warn } = parts
    const boxes = homeBoxes({ home, root, environment, values, warn })
    this.#mcp = openMcp({ servers, environment, started, boxes, now, sleep, warn })
  }

  /** The tools in prompts. */
  readonly tools = (): readonly (Tool | ActTool)[] => this.#tools

  /** All tools that can be called. */
  readonly callable = (): readonly (Tool | ActTool)[] => [...this.#untold, ...this.#tools]

  /** The material for prompts of runs, as it was read last. */
  get forJobs(): Pick<JobParts, 'workspace' | 'material'> {
    const { values } = this.#parts
    const material: JobParts['material'] = {
      mode: () => this.#texts.mode,
      scripts: () => values().skills.allowScripts,
      loaded: () => this.#loaded,
      told: () => this.#tools.map(toldOf),
      callable: () => this.callable().map(toldOf),
      load: this.#loadForJob,
      system: (skills) => systemText({ ...this.#texts, skills }),
    }
    return { workspace: this.workspace, material }
  }

  get forDesk(): Pick<Desk, 'readSetup' | 'tools' | 'skills' | 'servers' | 'workspace'> {
    return {
      readSetup: (what) => this.read(what === 'all' ? 'reload' : 'files'),
      tools: this.tools,
      skills: () => ({ ...this.#loaded, shipped: shippedSkills() }),
      servers: () => this.#mcp.states(),
      workspace: this.workspace,
    }
  }

  /**
   * Reads everything again. `reload` asks all servers for their tools, `meeting` only servers whose tools the log does
   * not have. Otherwise the tools are taken from the log, and a server is connected at the first call.
   */
  readonly read = async (when: 'files' | 'meeting' | 'reload'): Promise<ReadSetup> => {
    const { home, log, values, environment } = this.#parts
    const { contextMode } = values().skills
    await endOutgrown()
    const workspace = this.workspace.root
    const who = await this.#who()
    const loaded = forGuests(await loadHomeSkills({ home, workspace, values: values(), environment }), {
      allowed: who === null ? null : values().skills.guests,
    })
    const known = await this.#known()
    const fromServers =
      when === 'files'
        ? { tools: this.#mcp.tools(known), notes: [] }
        : await this.#mcp.refresh(known, {
            when: when === 'reload' ? 'reload' : 'start',
            allowed: await this.#allowed(),
          })
    const { skills } = loaded
    const hasMemory = who?.role !== 'group'
    const { memory, problem } = hasMemory ? await this.#memory() : { memory: '', problem: [] }
    // Throws if AGENTS.md cannot be read; everything read before stays in use then.
    const host = who !== null && { host: hostWords(who) }
    const texts = { agents: agentsFor(home, who), memory, mode: contextMode, ...host }
    const ofSkills = skills.flatMap(({ tools }) => tools)
    const { free, taken } = unlessTaken(fromServers.tools, ofSkills)
    const builtIns = (await this.#builtIns()).filter(({ spec }) => hasMemory || spec.name !== 'remember')
    this.#hold(loaded, texts, [...builtIns, ...ofSkills, ...free])
    const missing = searchNeeds(values())
    const lapsed = await log.read((now) => lapsedGrants(now, this.#tools, this.#parts.person))
    return {
      ...systemText({ ...texts, skills }),
      tools: this.#tools.map(toldOf),
      memory: memoryLines(memory),
      notes: [
        ...problem,
        ...loaded.reports
          .filter(({ state }) => state === 'refused')
          .map(({ name, because }) => `The skill '${name}' is not loaded: ${because ?? ''}`),
        ...(missing === undefined ? [] : [`There is no web_search: ${missing} is not set.`]),
        ...fromServers.notes,
        ...taken,
        ...lapsed,
      ],
    }
  }

  #hold(loaded: LoadedSkills, texts: Texts, others: readonly (Tool | ActTool)[]): void {
    const { skills } = loaded
    const isTold = needsReadSkill(skills, { ...texts, ...this.#parts.values().skills })
    const reader = skills.length === 0 ? [] : [readSkillTool(skills, this.#bodyFor)]
    this.#loaded = loaded
    this.#texts = texts
    this.#tools = isTold ? [...reader, ...others] : others
    this.#untold = isTold ? [] : reader
  }

  /** Null: the owner. */
  #who(): Promise<Guest | null> {
    const { log, person } = this.#parts
    return log.read((reader) => {
      const role = roleOf(reader, person)
      return role === 'owner' ? null : { role: role ?? 'guest', name: nameOfPerson(reader, person) }
    })
  }

  /** Asks new servers for their tools; undefined: there are no new servers. */
  async meetServers(): Promise<ReadSetup | undefined> {
    return this.#mcp.hasUnknown(await this.#known()) ? this.read('meeting') : undefined
  }

  /** The tools of the last prompts. */
  #known(): Promise<readonly ToolSpec[]> {
    return this.#parts.log.read((reader) => {
      const setup = setupNow(reader, this.#parts.person)
      return setup === undefined ? [] : (JSON.parse(contentOf(reader, setup.tools)) as ToolSpec[])
    })
  }

  /** The fingerprints of the tools that the person allowed as they are. */
  async #allowed(): Promise<ReadonlySet<string> | 'all'> {
    if (this.#parts.values().permissions === 'bypassPermissions') return 'all'
    const { log, person } = this.#parts
    const grants = await log.read((reader) => grantsIn(reader, person))
    return new Set(grants.flatMap(({ fingerprint }) => fingerprint ?? []))
  }

  close(): Promise<void> {
    return this.#mcp.close()
  }

  /** In a job, in main too, the commands in a skill are replaced by their output, as in a job. */
  readonly #bodyFor: LoadBody = async (skill, { branch, signal }) => {
    const isForJob = await this.#parts.log.read(
      (reader) =>
        runAbove(reader, branch) !== undefined ||
        openingOf(reader, getBranch(reader, branch)).jobs.length > 0,
    )
    return isForJob ? this.#loadForJob(skill, signal) : skill.body
  }

  readonly #loadForJob: JobParts['material']['load'] = (skill, signal) => {
    const { home, values, environment, started } = this.#parts
    return skillForJob(skill, { home, values: values(), environment, onStart: started }, signal)
  }

  /** An unreadable file counts as empty, with a note: it must not stop the start. */
  async #memory(): Promise<{ readonly memory: string; readonly problem: readonly string[] }> {
    try {
      return { memory: (await this.workspace.read(MEMORY_FILE)) ?? '', problem: [] }
    } catch (error) {
      if (!(error instanceof PathError)) throw error
      return { memory: '', problem: [`${MEMORY_FILE} is left out: ${error.message}`] }
    }
  }

  async #builtIns(): Promise<readonly (Tool | ActTool)[]> {
    const { values, own, propose } = this.#parts
    const lines = async () => memoryLines((await this.#memory()).memory)
    return [
      ...own,
      rememberTool({ propose, lines }),
      ...this.#files,
      webFetchTool({ privateHosts: () => values().web.privateHosts }),
      ...(await searchTools(values)),
    ]
  }
}

/** Throws for the owner, who can mend the file; a guest's turn goes on without it. */
function agentsFor(home: string, who: Guest | null): string {
  try {
    return readAgents(home)
  } catch (error) {
    if (who === null) throw error
    return ''
  }
}

interface Guest {
  readonly role: 'guest' | 'group'
  readonly name: string
}

/** In a guest's prompts after AGENTS.md, which the owner wrote about themselves. */
function hostWords({ role, name }: Guest): string {
  const who = JSON.stringify(name)
  const talk =
    role === 'guest'
      ? `You are talking with ${who}, a guest of the owner, who is somebody else. "The person" is ${who} here.`
      : `You are talking in the group ${who}. Several people read along; each message begins with its speaker's name.`
  return `# Who you are talking with\n\n${talk} What the text above says about its author is about the owner. You know nothing of other people's conversations, and you cannot reach them.`
}

/** Only skills without programs that the owner allowed by name. Null: the owner has all. */
function forGuests(
  { skills, reports }: LoadedSkills,
  { allowed }: { readonly allowed: readonly string[] | null },
): LoadedSkills {
  if (allowed === null) return { skills, reports }
  const isAllowed = ({ name }: { readonly name: string }): boolean => allowed.includes(name)
  return {
    skills: skills.filter((skill) => isAllowed(skill) && skill.tools.length === 0),
    reports: reports.filter(isAllowed),
  }
}

function toldOf({ spec, nature }: Tool | ActTool): ToolSpec {
  return nature.told ?? spec
}

/** Leaves out tools of servers whose name a skill's tool has: providers refuse two tools with one name. */
function unlessTaken(
  tools: readonly Tool[],
  ofSkills: readonly Tool[],
): { readonly free: readonly Tool[]; readonly taken: readonly string[] } {
  const names = new Set(ofSkills.map(({ spec }) => spec.name))
  const isTaken = ({ spec }: Tool): boolean => names.has(spec.name)
  return {
    free: tools.filter((tool) => !isTaken(tool)),
    taken: tools
      .filter(isTaken)
      .map(
        ({ spec }) =>
          `${spec.name} of a server is left out: a skill has a tool of that name. Rename it there.`,
      ),
  }
}

/** Empty if no search provider is set, or if a setting it needs is missing. */
async function searchTools(values: () => Config): Promise<readonly Tool[]> {
  if (values().web.searchProvider === 'none' || searchNeeds(values()) !== undefined) return []
  const { webSearchTool } = await import('../../tool/web/web-search.ts')
  return [
    webSearchTool(() => {
      const { searchProvider: provider, searchKey: key, searchUrl: url } = values().web
      return { provider, key, url }
    }),
  ]
}
