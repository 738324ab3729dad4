import { Ellipsis } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useCommand } from '../api/act.ts'
import { toast } from '../ui/toast.ts'
import style from './chat.module.css'
import { MarkDialog } from './MarkDialog.tsx'
import type { Entry } from './timeline.ts'

interface EntryMenuProps {
  readonly entry: Entry
  readonly branch: string
  readonly go: (branch: string) => void
  readonly reply: (entry: Entry) => void
  readonly isOpen: boolean
  readonly setOpen: (isOpen: boolean) => void
}

/** What can be done with a message: by its button, a right click, or the menu key. */
export function EntryMenu({ entry, branch, go, reply, isOpen, setOpen }: EntryMenuProps) {
  const [, navigate] = useLocation()
  const [isMarking, setMarking] = useState(false)
  const { mutateAsync } = useCommand()
  const { position, turn, label } = entry
  const here = `at-${position}`
  const isMessage = ['said', 'answer', 'told', 'note'].includes(entry.kind)
  const isPlace = isMessage && label === null
  const does = async (...lines: readonly string[]): Promise<void> => {
    for (const text of lines) {
      const answer = await mutateAsync({ text, branch }).catch(() => undefined)
      if (answer === undefined || answer.said?.isError === true) return
      go(answer.branch)
    }
  }
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(textOf(entry))
    toast('Copied.')
  }
  return (
    <>
      <DropdownMenu.Root modal={false} open={isOpen} onOpenChange={setOpen}>
        <DropdownMenu.Trigger className={style.menuButton} aria-label="What to do with this message">
          <Ellipsis aria-hidden />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className={style.menu} align="end" sideOffset={4} collisionPadding={8}>
            <Item onSelect={() => void copy()}>Copy</Item>
            {(isMessage || entry.kind === 'ping' || entry.kind === 'notice') && (
              <Item onSelect={() => reply(entry)}>Reply to it</Item>
            )}
            {turn !== null && (
              <Item
                onSelect={() => navigate(`/context/${entry.kind === 'ping' ? entry.branch : branch}/${turn}`)}
              >
                Show what the model saw
              </Item>
            )}
            {isPlace && (
              <>
                <DropdownMenu.Separator className={style.menuLine} />
                <Item onSelect={() => setMarking(true)}>Mark here…</Item>
                <Item onSelect={() => void does(`/mark ${here} at ${position}`, `/rewind ${here}`)}>
                  Rewind to here
                </Item>
                <Item onSelect={() => void does(`/fork --enter --at ${position}`)}>Fork from here</Item>
              </>
            )}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {isMarking && (
        <MarkDialog
          close={() => setMarking(false)}
          mark={(name) => void does(`/mark ${name} at ${position}`)}
        />
      )}
    </>
  )
}

function Item({ children, onSelect }: { readonly children: string; readonly onSelect: () => void }) {
  return (
    <DropdownMenu.Item className={style.menuItem} onSelect={onSelect}>
      {children}
    </DropdownMenu.Item>
  )
}

/** Its words, as they were written. */
export function textOf(entry: Entry): string {
  if (entry.kind === 'command') return `${entry.line}\n${entry.output}`
  return 'text' in entry ? entry.text : ''
}
