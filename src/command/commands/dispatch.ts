import type { Said } from '../../agent/contract/act.ts'
import {
  runCheckMail,
  runKill,
  runSend,
  runRun,
  runUpdates,
  runTodo,
  runRetry,
  runStop,
} from './run-commands.ts'
import { runApprovals, runApprove, runDeny } from './approval-commands.ts'
import { runCompact, runExpand } from './compact-commands.ts'
import { runClear, runMark, runNew, runNote, runRedo, runRewind, runUndo } from './context-commands.ts'
import { runExit, runFork, runReply, runReport, runSave, runSwitch } from './fork-commands.ts'
import { runPause, runReminders, runResume, runRoutines } from './job-commands.ts'
import { runTimezone, runModel, runReload, runThinking } from './settings-commands.ts'
import { runAgents, runContext, runCost, runHelp, runSystem, runRecall } from './look-commands.ts'
import { runPingBudget } from './ping-budget-command.ts'
import { runDone, runLess, runSnooze } from './ping-commands.ts'
import { runAllow, runDisallow, runPermissions } from './permission-commands.ts'
import { runMemory, runRemember, runSkills, runTools } from './tool-commands.ts'
import type { Desk, Order, OrderOf } from '../desk/desk.ts'

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
