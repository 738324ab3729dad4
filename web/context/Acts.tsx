import { FoldVertical, Undo2, UnfoldVertical } from 'lucide-react'
import type { ContextView as ContextNow } from '../../src/view/context.ts'
import type { TurnContextView } from '../../src/view/prompt/turn-context.ts'
import { useCommand } from '../api/act.ts'
import { useRead } from '../api/query.ts'
import { Button } from '../ui/button.tsx'
import ui from '../ui/ui.module.css'
import style from './context.module.css'

/** What can be done to the context of a branch, by its commands. */
export function Acts({ view: { branch, parts } }: { view: TurnContextView }) {
  const { data: now } = useRead<ContextNow>('/api/context', { branch }, { on: ['context-', 'message-added'] })
  const { mutate, isPending } = useCommand()
  const act = (text: string) => ({ small: true, title: text, onClick: () => mutate({ text, branch }) })
  return (
    <footer className={`${ui.row} ${style.acts}`}>
      <Button disabled={isPending} {...act('/compact')}>
        <FoldVertical />
        Summarize older messages
      </Button>
      {parts.some(({ kind }) => kind === 'summary') && (
        <Button disabled={isPending} {...act('/expand')}>
          <UnfoldVertical />
          Open the newest summary
        </Button>
      )}
      <Button
        disabled={isPending || !now?.undo}
        {...act('/undo')}
        title={now?.undo ? `/undo: ${now.undo}` : 'Nothing to undo'}
      >
        <Undo2 />
        Undo
      </Button>
      {now?.policy === 'explicit' && <small>Nothing is summarized here without a command.</small>}
      {now?.summaryFailedAt && (
        <small data-tone="warn">Older messages could not be summarized since {now.summaryFailedAt}.</small>
      )}
    </footer>
  )
}
