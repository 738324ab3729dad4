import type { ActTool } from '../../agent/contract/act.ts'
import type { Agent } from '../../agent/agent.ts'
import { hearsOfReporting } from '../../agent/state/run.ts'
import type { Propose } from '../../agent/right/proposing.ts'
import type { AgentSettings } from '../../agent/state/settings.ts'
import type { TodoParts } from '../../agent/job/todo-list.ts'
import { compactSessionTool } from '../../agent/tools/compact-session.ts'
import { enterForkTool, exitForkTool, saveContextTool } from '../../agent/tools/fork-tools.ts'
import { followUpTool } from '../../agent/tools/follow-up.ts'
import { pingUserTool, sendEmbedTool } from '../../agent/tools/ping.ts'
import { reportUpdatesTool } from '../../agent/tools/report-updates.ts'
import { makeHelpTool } from '../../agent/tools/help.ts'
import { readLogTool } from '../../agent/tools/read-log.ts'
import { recallTool } from '../../agent/tools/recall.ts'
import { reminderTools } from '../../agent/tools/reminders.ts'
import { sendFileTool, type SendFileParts } from '../../agent/tools/send-file.ts'
import { todoTool } from '../../agent/tools/todo.ts'
import { waitTool } from '../../agent/tools/wait.ts'
import type { Clock } from '../../base/clock.ts'
import { slashTool } from '../../command/commands/slash.ts'
import type { Log } from '../../log/log.ts'
import type { Sleep } from '../../model/contract/sleep.ts'
import type { Recall } from '../../recall/contract/recall.ts'
import type { JobShelf } from '../../schedule/job-shelf.ts'
import type { Tool } from '../../tool/tool.ts'
import { guideTexts } from '../home/workspace.ts'

/** The tools that need the agent itself, in the order models see them. */
export function ownTools(parts: {
  readonly shelf: JobShelf
  readonly todoFiles: TodoParts['files']
  readonly log: Log
  readonly recall: Recall
  readonly now: Clock
  readonly sleep: Sleep
  readonly settings: () => AgentSettings
  readonly recentMax: () => number
  /** Called only once the agent runs. */
  readonly agent: () => Agent
  readonly fail: (error: unknown) => void
  /** Left out: proposals are not planned. */
  readonly propose?: Propose
  readonly sending: Pick<SendFileParts, 'files' | 'workspace' | 'root'>
}): readonly (Tool | ActTool)[] {
  const { shelf, todoFiles, log, recall, now, sleep, settings, recentMax, agent, fail, propose, sending } =
    parts
  const deliver = (): void => agent().deliver()
  const reminders = { log, shelf, now, settings, deliver, ...(propose !== undefined && { propose }) }
  const todos = { files: todoFiles, now, zone: () => settings().zone }
  const until: Agent['until'] = (holds, signal) => agent().until(holds, signal)
  const whileWaiting: Agent['whileWaiting'] = (branch, work) => agent().whileWaiting(branch, work)
  return [
    slashTool,
    recallTool({ log, recall, now, settings }),
    readLogTool({ log, recall, recentMax }),
    waitTool({ log, now, sleep, until, whileWaiting }),
    enterForkTool,
    saveContextTool,
    exitForkTool,
    reportUpdatesTool,
    pingUserTool,
    sendEmbedTool,
    sendFileTool({ log, now, deliver, ...sending }),
    ...reminderTools(reminders),
    followUpTool(reminders),
    todoTool(todos),
    compactSessionTool({ compact: (wish, signal) => agent().compact(wish, signal), fail }),
    makeHelpTool({
      guides: guideTexts,
      reports: (branch) => log.read((reader) => hearsOfReporting(reader, branch)),
    }),
  ]
}
