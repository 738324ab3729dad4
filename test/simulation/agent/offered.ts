import type { EventOf, Mode } from '../../../src/event/event.ts'

export interface Offering {
  readonly mode: Mode
  /** The run that the branch is or works for. */
  readonly run: EventOf<'run-started'> | undefined
  /** Whether a call matches one of these patterns. */
  readonly fits: (pattern: string) => boolean
}

const EVERY_RUN: ReadonlySet<string> = new Set(['help', 'read', 'glob', 'grep'])
const NOT_FROM_OUTSIDE = /^(?:todo|(?:add|list|cancel)_reminders?)$/

/** RUN3, from the table of modes: whether a tool may be called there at all. */
export function isOffered(tool: string, { mode, run, fits }: Offering): boolean {
  switch (tool) {
    case 'report_updates':
      if (mode === 'background') return run?.reporting !== 'blocked'
      return mode === 'fork'
    case 'enter_fork':
      return mode === 'main'
    case 'save_context':
    case 'exit_fork':
      return mode === 'fork'
    case 'ping_user':
    case 'send_embed':
      return run?.allowPing ?? true
    default:
      if (mode !== 'background' && run === undefined) return true
      if (NOT_FROM_OUTSIDE.test(tool) && run?.tag !== 'webhook') return true
      if (tool === 'follow_up_chain' && run?.chain !== undefined) return true
      return EVERY_RUN.has(tool) || ['todo(list*)', ...(run?.tools ?? [])].some(fits)
  }
}
