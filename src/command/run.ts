import type { Said } from '../agent/act.ts'
import { runCheckMail, runKill, runSend } from './commands/branch-commands.ts'
import { runApprovals, runApprove, runDeny } from './commands/approval-commands.ts'
import { runCompact, runExpand } from './commands/compact-commands.ts'
import {
  runClear,
  runMark,
  runNew,
  runNote,
  runRedo,
  runRewind,
  runUndo,
} from './commands/context-commands.ts'
import { runExit, runFork, runReply, runReport, runSave, runSwitch } from './commands/fork-commands.ts'
import { runRun, runUpdates } from './commands/run-commands.ts'
import { runPause, runReminders, runResume, runRoutines } from './commands/job-commands.ts'
import { runTodo } from './commands/todo-command.ts'
import { runTimezone } from './commands/zone-command.ts'
import { runAgents, runContext, runCost, runHelp, runSystem } from './commands/look-commands.ts'
import { runPingBudget } from './commands/ping-budget-command.ts'
import { runDone, runLess, runSnooze } from './commands/ping-commands.ts'
import { runAllow, runDisallow, runPermissions } from './commands/permission-commands.ts'
import { runMemory, runRemember, runSkills, runTools } from './commands/tool-commands.ts'
import { runRecall } from './commands/recall-command.ts'
import { runModel, runReload, runThinking } from './commands/settings-commands.ts'
import { runRetry, runStop } from './commands/turn-commands.ts'
import type { Desk, Order, OrderOf } from './desk.ts'

type Runs = {
  readonly [N in Order['command']['name']]: (desk: Desk, order: OrderOf<N>) => Promise<Said | undefined>
}

const runs: Runs = {
  mark: runMark,
  clear: runClear,
  rewind: runRewind,
  undo: runUndo,
  redo: runRedo,
  compact: runCompact,
  expand: runExpand,
  recall: runRecall,
  note: runNote,
  new: runNew,
  fork: runFork,
  switch: runSwitch,
  send: runSend,
  'check-mail': runCheckMail,
  kill: runKill,
  save: runSave,
  report: runReport,
  reply: runReply,
  run: runRun,
  updates: runUpdates,
  exit: runExit,
  agents: runAgents,
  context: runContext,
  approve: runApprove,
  deny: runDeny,
  approvals: runApprovals,
  allow: runAllow,
  disallow: runDisallow,
  permissions: runPermissions,
  tools: runTools,
  skills: runSkills,
  memory: runMemory,
  remember: runRemember,
  'ping-budget': runPingBudget,
  done: runDone,
  snooze: runSnooze,
  less: runLess,
  routines: runRoutines,
  reminders: runReminders,
  todo: runTodo,
  pause: runPause,
  resume: runResume,
  timezone: runTimezone,
  model: runModel,
  thinking: runThinking,
  system: runSystem,
  cost: runCost,
  stop: runStop,
  retry: runRetry,
  reload: runReload,
  help: runHelp,
}

/** Runs one command of a person; undefined when it was run before. */
export function runCommand(desk: Desk, order: Order): Promise<Said | undefined> {
  const run = runs[order.command.name] as (desk: Desk, order: Order) => Promise<Said | undefined>
  return run(desk, order)
}
