import { Archive, FoldVertical, Undo2, UnfoldVertical } from 'lucide-react'
import type { ContextView as ContextNow } from '../../src/view/context.ts'
import { useCommand } from '../api/act.ts'
import { useRead } from '../api/query.ts'
import { Button } from '../ui/button.tsx'
import style from './context.module.css'

/** What can be done to the context of a branch, by its commands. */
export function Acts({ branch, hasSummary }: { readonly branch: string; readonly hasSummary: boolean }) {
  const { data: now } = useRead<ContextNow>('/api/context', { branch }, { on: ['context-', 'message-added'] })
  const command = useCommand()
  const act = (text: string) => () => command.mutate({ text, branch })
  return (
    <footer className={style.acts}>
      <Button small disabled={command.isPending} onClick={act('/compact')} title="/compact">
        <FoldVertical />
        Summarize older messages
      </Button>
      {hasSummary && (
        <Button small disabled={command.isPending} onClick={act('/expand')} title="/expand">
          <UnfoldVertical />
          Open the newest summary
        </Button>
      )}
      <Button
        small
        disabled={command.isPending || !now?.undo}
        onClick={act('/undo')}
        title={now?.undo ? `/undo: ${now.undo}` : 'Nothing to undo'}
      >
        <Undo2 />
        Undo
      </Button>
      {now?.policy === 'explicit' && (
        <p>
          <Archive aria-hidden="true" /> Nothing is summarized here without a command.
        </p>
      )}
      {now?.summaryFailedAt && (
        <p data-tone="warn">Older messages could not be summarized since {now.summaryFailedAt}.</p>
      )}
    </footer>
  )
}
