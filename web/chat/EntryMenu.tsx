import { Ellipsis } from 'lucide-react'
import { useContext, useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Menu, MenuItem, MenuLine } from '../ui/Menu.tsx'
import { toast } from '../ui/toast.ts'
import style from './chat.module.css'
import { Place, useActs } from './place.tsx'
import type { Entry } from './timeline.ts'

interface EntryMenuProps {
  readonly entry: Entry
  readonly isOpen: boolean
  readonly setOpen: (isOpen: boolean) => void
}

/** What can be done with a message: by its button, a right click, or the menu key. */
export function EntryMenu({ entry, isOpen, setOpen }: EntryMenuProps) {
  const { branch, reply } = useContext(Place)
  const [isMarking, setMarking] = useState(false)
  const { act } = useActs()
  const { kind, position, turn, label } = entry
  const mark = `at-${position}`
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(textOf(entry))
    toast('Copied.')
  }
  const trigger = (
    <Button small className={style.menuButton} aria-label="What to do with this message">
      <Ellipsis />
    </Button>
  )
  return (
    <>
      <Menu trigger={trigger} align="end" open={isOpen} onOpenChange={setOpen}>
        <MenuItem onSelect={copy}>Copy</MenuItem>
        {kind !== 'command' && <MenuItem onSelect={() => reply(entry)}>Reply</MenuItem>}
        {turn !== null && (
          <MenuItem onSelect={() => navigate(`/context/${kind === 'ping' ? entry.branch : branch}/${turn}`)}>
            Show what the model saw
          </MenuItem>
        )}
        {isMessage(entry) && label === null && (
          <>
            <MenuLine />
            <MenuItem onSelect={() => setMarking(true)}>Mark here…</MenuItem>
            <MenuItem onSelect={() => act([`/mark ${mark} at ${position}`, `/rewind ${mark}`])}>
              Rewind to here
            </MenuItem>
            <MenuItem onSelect={() => act([`/fork --enter --at ${position}`])}>Fork from here</MenuItem>
          </>
        )}
      </Menu>
      {isMarking && (
        <MarkDialog
          close={() => setMarking(false)}
          mark={(name) => void act([`/mark ${name} at ${position}`])}
        />
      )}
    </>
  )
}

/** Whether there is something to copy, or to reply to. */
export function hasMenu(entry: Entry): boolean {
  return isMessage(entry) || ['ping', 'notice', 'command'].includes(entry.kind)
}

/** A context shows it, so a mark can stand behind it. */
function isMessage({ kind }: Entry): boolean {
  return ['said', 'answer', 'told', 'note'].includes(kind)
}

/** Its words, as they were written. */
export function textOf(entry: Entry): string {
  if (entry.kind === 'command') return `${entry.line}\n${entry.output}`
  return 'text' in entry ? entry.text : ''
}

/** Asks for the name of a mark. */
function MarkDialog({ close, mark }: { close: () => void; mark: (name: string) => void }) {
  const [name, setName] = useState('')
  const word = name.trim().replaceAll(/\s+/g, '-').replace(/^-+/, '')
  return (
    <Dialog title="Set a mark here" onClose={close}>
      <form
        className={style.marking}
        onSubmit={(event) => {
          event.preventDefault()
          close()
          mark(word)
        }}
      >
        <p>You can rewind to a mark: the model then no longer sees what was said after it.</p>
        <input
          data-first
          value={name}
          onChange={({ target }) => setName(target.value)}
          placeholder="PLAN"
          aria-label="Name of the mark"
          maxLength={60}
          required
        />
        <Button type="submit" look="main" disabled={word === ''}>
          Set mark
        </Button>
      </form>
    </Dialog>
  )
}
