import { Command } from 'cmdk'
import { Bookmark, GitBranch, Search, Slash, type LucideIcon } from 'lucide-react'
import { useDeferredValue, useState, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { navigate } from 'wouter/use-browser-location'
import type { AgentView } from '../../src/view/agents.ts'
import type { ContextView } from '../../src/view/context.ts'
import type { recallView } from '../../src/view/recall-text.ts'
import type { Completion } from '../../src/command/read/complete.ts'
import { useCommand } from '../api/act.ts'
import { useRead } from '../api/query.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { Time } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import { hide } from './overlay.ts'
import style from './palette.module.css'
import { views } from './routes.tsx'

/** Everything that can be reached, by typing a part of its name. */
export default function Palette() {
  const [typed, setTyped] = useState('')
  const asked = useDeferredValue(typed)
  const isCommand = typed.startsWith('/')
  return (
    <Dialog title="Find" look="bare" onClose={hide}>
      <Command className={`${ui.column} ${style.palette}`} label="Find" shouldFilter={!isCommand} loop>
        <Command.Input
          data-first
          value={typed}
          onValueChange={setTyped}
          maxLength={1_000}
          placeholder="A view, a command, a mark, a branch, or words that were said"
        />
        <Command.List className={style.list}>
          {(isCommand || typed.trim().length < CHARS_MIN) && (
            <Command.Empty className={style.none}>Nothing has that name.</Command.Empty>
          )}
          {!isCommand && <Views />}
          <Commands typed={asked} fill={setTyped} />
          {!isCommand && (
            <>
              <Marks />
              <Branches />
              <Said q={asked.trim()} />
            </>
          )}
        </Command.List>
      </Command>
    </Dialog>
  )
}

interface Item {
  /** What is typed to find it. */
  readonly value: string
  readonly icon: LucideIcon
  readonly words: string
  readonly help?: ReactNode
  /** It may leave the palette open. */
  readonly act: () => void
}

/** `always`: its items are shown whatever was typed. */
function Group({ name, items, always = false }: { name: string; items: readonly Item[]; always?: boolean }) {
  if (items.length === 0) return null
  return (
    <Command.Group heading={name} forceMount={always}>
      {items.map(({ value, icon: Icon, words, help, act }) => (
        <Command.Item key={value} className={style.item} value={value} forceMount={always} onSelect={act}>
          <Icon />
          <span className={ui.clip}>{words}</span>
          <small className={ui.clip}>{help}</small>
        </Command.Item>
      ))}
    </Command.Group>
  )
}

function goTo(place: string): () => void {
  return () => {
    hide()
    navigate(place)
  }
}

function Views() {
  const items = views.map(({ name, title, icon }) => ({
    value: `view ${title}`,
    icon,
    words: title,
    act: goTo(`/${name}`),
  }))
  return <Group name="Views" items={items} />
}

/** The branch whose chat or context is shown. */
function useBranch(): string | undefined {
  const [location] = useLocation()
  return /^\/(?:chat|context)\/([^/?]+)/.exec(location)?.[1]
}

/** A whole command is performed; one that needs more goes on in the box. */
function Commands({ typed, fill }: { typed: string; fill: (line: string) => void }) {
  const branch = useBranch()
  const { mutate } = useCommand()
  const line = typed.startsWith('/') ? typed : '/'
  const { data = [] } = useRead<readonly Completion[]>('/api/completions', { line, branch }, { keep: true })
  const run = (text: string): void => {
    hide()
    mutate({ text, ...(branch !== undefined && { branch }) })
  }
  const isWhole = line.trim().length > 1 && !data.some((one) => one.line === line)
  const whole = { value: `run ${line}`, icon: Slash, words: line, help: 'Enter performs it' }
  const items = data.map(({ line: text, label, help }) => ({
    value: `${label} ${help}`,
    icon: Slash,
    words: label,
    help,
    act: () => (text.endsWith(' ') ? fill(text) : run(text)),
  }))
  return (
    <Group name="Commands" items={isWhole ? [{ ...whole, act: () => run(line.trim()) }, ...items] : items} />
  )
}

function Marks() {
  const branch = useBranch() ?? 'main'
  const { data } = useRead<ContextView>('/api/context', { branch })
  const items = (data?.marks ?? []).map(({ name, at }) => ({
    value: `mark ${name}`,
    icon: Bookmark,
    words: name,
    help: `mark in ${branch}`,
    act: goTo(`/chat/${branch}?at=${at}`),
  }))
  return <Group name="Marks" items={items} />
}

function Branches() {
  const { data } = useRead<{ agents: readonly AgentView[] }>('/api/agents')
  const items = (data?.agents ?? []).map(({ handle, name, title, mode, run, state }) => ({
    value: `branch ${name} ${title ?? ''} ${run ?? ''}`,
    icon: GitBranch,
    words: title === null ? name : `${name} · ${title}`,
    help: `${run ?? mode}, ${state}`,
    act: goTo(`/chat/${handle}`),
  }))
  return <Group name="Branches" items={items} />
}

const CHARS_MIN = 3

function Said({ q }: { q: string }) {
  const enabled = q.length >= CHARS_MIN
  const found = useRead<ReturnType<typeof recallView>>(
    '/api/recall',
    { q, limit: 6 },
    { enabled, keep: true },
  )
  if (!enabled) return null
  const everything = {
    value: `search ${q}`,
    icon: Search,
    words: `Search everything for “${q}”`,
    help: 'in Memory',
    act: goTo(`/memory?q=${encodeURIComponent(q)}`),
  }
  const items = (found.data?.hits ?? []).map(({ position, part, handle, at, speaker, text }) => ({
    value: `said ${position}/${part}`,
    icon: Search,
    words: `${speaker === 'owner' ? 'you' : speaker}: ${text.slice(0, 120)}`,
    help: <Time at={at} as="day" />,
    act: goTo(`/chat/${handle}?at=${position}`),
  }))
  return <Group name="Said" items={[everything, ...items]} always />
}
