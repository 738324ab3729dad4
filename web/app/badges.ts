import { useEffect } from 'react'
import type { AgentView } from '../../src/view/agents.ts'
import type { statusView } from '../../src/view/status.ts'
import { useRead } from '../api/query.ts'
import { counted } from '../ui/numbers.ts'

export interface Badge {
  readonly count: number
  /** What is counted. */
  readonly help: string
  /** `warn`: it waits for the person. */
  readonly tone: 'plain' | 'warn'
}

export type Status = ReturnType<typeof statusView>

/** What waits or runs behind each view. */
export function useBadges(): Readonly<Record<string, Badge | undefined>> {
  const { data: status } = useRead<Status>(
    '/api/status',
    {},
    { on: ['approval', 'proposal', 'call-decided'] },
  )
  const { data: work } = useRead<{ agents: readonly AgentView[] }>(
    '/api/agents',
    {},
    { on: ['branch-', 'turn-', 'run-'] },
  )
  const running = (work?.agents ?? []).filter(({ state }) => state === 'running')
  const count = (mode: AgentView['mode']): number => running.filter((agent) => agent.mode === mode).length
  const approvals = status?.waiting.approvals ?? 0
  return {
    chat: badge(approvals, `${counted(approvals, 'approval')} waiting for you`, 'warn'),
    background: badge(count('background'), `${counted(count('background'), 'run')} working`),
    tasks: badge(count('child'), `${counted(count('child'), 'child', 'children')} working`),
  }
}

function badge(count: number, help: string, tone: Badge['tone'] = 'plain'): Badge | undefined {
  return count === 0 ? undefined : { count, help, tone }
}

/** The title of the tab: how many approvals wait, and which view it is. */
export function useTitle(title: string): void {
  const { data } = useRead<Status>('/api/status')
  const waiting = data?.waiting.approvals ?? 0
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${title} · Mainstem`
  }, [title, waiting])
}
