import { useMutation } from '@tanstack/react-query'
import { applyPatch, createTwoFilesPatch } from 'diff'
import { Pencil } from 'lucide-react'
import { useState } from 'react'
import type { approvalsView } from '../../src/view/approvals.ts'
import { get, post, type ApiError } from '../api/client.ts'
import { queries, useRead } from '../api/query.ts'
import { Button, CommandButton } from '../ui/button.tsx'
import { Saving } from '../ui/diff.tsx'
import { Card, CardHead, Shown } from '../ui/surface.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.ts'
import ui from '../ui/ui.module.css'
import style from './memory.module.css'

interface Memory {
  readonly path: string
  readonly text: string
  readonly version: string
  readonly lines: readonly { readonly text: string; readonly since: string }[]
  readonly isRead: boolean
}

/** memory.md: what every prompt begins with. It is edited as a whole, and the difference is shown before it is saved. */
export function MemoryFile() {
  const memory = useRead<Memory>('/api/memory', {}, { on: ['memory-changed', 'setup'] })
  const [seen, setSeen] = useState<Memory>()
  return (
    <Card>
      <CardHead title="Always remembered">
        {seen === undefined && memory.data && (
          <Button small onClick={() => setSeen(memory.data)}>
            <Pencil />
            Edit
          </Button>
        )}
      </CardHead>
      <Proposed />
      <Shown of={memory}>
        {(data) =>
          seen === undefined ? (
            <Lines memory={data} edit={() => setSeen(data)} />
          ) : (
            <Editor memory={seen} done={() => setSeen(undefined)} />
          )
        }
      </Shown>
    </Card>
  )
}

type Approvals = ReturnType<typeof approvalsView>

/** Lines that the model wants to remember. */
function Proposed() {
  const { data = [] } = useRead<Approvals>('/api/approvals', {}, { on: ['approval', 'proposal'] })
  return data
    .filter(({ kind }) => kind === 'memory')
    .map(({ number, what }) => (
      <div key={number} className={`${ui.row} ${ui.banner} ${style.told}`}>
        <p>
          <b>Proposed</b> {what.replace(/^remember: /, '')}
        </p>
        <span className={ui.row}>
          <CommandButton look="main" line={`/approve ${number}`}>
            Remember
          </CommandButton>
          <CommandButton line={`/deny ${number}`}>No</CommandButton>
        </span>
      </div>
    ))
}

function Lines({ memory: { lines, isRead, path }, edit }: { memory: Memory; edit: () => void }) {
  return (
    <>
      {!isRead && (
        <p className={`${ui.row} ${ui.banner} ${style.told}`}>
          memory.md was changed by another program. Mainstem sees the change after a reload.
          <CommandButton line="/reload">Reload</CommandButton>
        </p>
      )}
      {lines.length === 0 ? (
        <div className={`${ui.inside} ${ui.note}`}>
          <p>
            Nothing yet. Lines here are part of every prompt: lasting facts, people, preferences. Mainstem
            proposes some; <code>/remember TEXT</code> adds one.
          </p>
          <Button look="text" onClick={edit}>
            Write the first line
          </Button>
        </div>
      ) : (
        <ul className={`${ui.rows} ${style.lines}`}>
          {lines.map(({ text, since }, index) => (
            <li key={index}>
              <span>{text}</span>
              <Time at={since} as="day" />
            </li>
          ))}
        </ul>
      )}
      <p className={`${ui.clip} ${style.path}`} title={path}>
        {path}
      </p>
    </>
  )
}

interface Answer {
  readonly kind: 'saved' | 'overtaken'
  readonly problem: string | null
}

function Editor({ memory, done }: { memory: Memory; done: () => void }) {
  const [base, setBase] = useState(memory)
  const [text, setText] = useState(memory.text.replaceAll('\r\n', '\n'))
  const [overtaken, setOvertaken] = useState<string>()
  const end = base.text.includes('\r\n') ? '\r\n' : '\n'
  const saving = useMutation<Answer, ApiError>({
    mutationFn: () => post('/api/memory', { text: text.replaceAll('\n', end), version: base.version }),
    onSuccess: async ({ kind, problem }) => {
      const now = await get<Memory>('/api/memory')
      queries.setQueryData(['/api/memory', {}], now)
      if (kind === 'saved') {
        toast(problem === null ? 'Saved. Mainstem sees it from the next turn.' : `Saved. ${problem}`)
        return done()
      }
      const { merged, said } = joined({ base: base.text, mine: text, now: now.text })
      setText(merged)
      setOvertaken(said)
      setBase(now)
    },
  })
  return (
    <div className={`${ui.stack} ${style.editing}`}>
      {overtaken !== undefined && (
        <p className={`${ui.banner} ${style.told}`} role="alert">
          {overtaken}
        </p>
      )}
      <textarea
        className={ui.editor}
        aria-label="memory.md"
        value={text}
        rows={Math.min(24, Math.max(8, text.split('\n').length + 1))}
        spellCheck
        placeholder={'# Memory\n\n- My dentist is Dr. Ono'}
        onChange={({ target }) => setText(target.value)}
      />
      <Saving
        title="Difference to the file"
        before={base.text.replaceAll('\r\n', '\n')}
        after={text}
        of={saving}
        save={() => saving.mutate()}
        cancel={done}
      >
        <small>Begin each memory with “- ”.</small>
      </Saving>
    </div>
  )
}

/** Puts what was typed onto the file as it is now, if both fit together; nothing is saved. */
function joined({ base, mine, now }: { base: string; mine: string; now: string }) {
  const patch = createTwoFilesPatch('a', 'b', base.replaceAll('\r\n', '\n'), mine)
  const merged = applyPatch(now.replaceAll('\r\n', '\n'), patch, { fuzzFactor: 2 })
  if (merged === false)
    return {
      merged: mine,
      said: 'Not saved: somebody changed the same lines of memory.md. Your text is kept; saving removes the red lines.',
    }
  return {
    merged,
    said: 'Not saved yet: memory.md has changed. Your changes were merged into the new version; check them and save again.',
  }
}
