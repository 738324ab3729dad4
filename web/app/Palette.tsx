import { Command } from 'cmdk'
import { Bookmark, GitBranch, Search, Slash, type LucideIcon } from 'lucide-react'
import { useDeferredValue, useEffect, useState, type ReactNode } from 'react'
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
import { toast } from '../ui/toast.ts'
import ui from '../ui/ui.module.css'
import { hide } from './overlay.ts'
import style from './palette.module.css'
import { views } from './routes.tsx'

/** Everything that can be reached, by typing a part of its name. */
export default function Palette() {
  const [typed, setTyped] = useState('')
  const asked = useDeferredValue(typed)
  const isCommand = typed.startsWith('/')
  const [chosen, choose] = useState('')
  // Suggestions come after the letters they are for: one of them is always chosen, so that Enter does something.
  const chooseOne = (): void => {
    const values = [...document.querySelectorAll<HTMLElement>('[cmdk-item]')].map(
      ({ dataset }) => dataset['value'],
    )
    if (!values.includes(chosen)) choose(values[0] ?? '')
  }
  return (
    <Dialog title="Find" look="bare" onClose={hide}>
      <Command
        className={`${ui.column} ${style.palette}`}
        label="Find"
        shouldFilter={!isCommand}
        filter={hasWords}
        value={chosen}
        onValueChange={choose}
        loop
      >
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
          <Commands typed={asked} fill={setTyped} onShown={chooseOne} />
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

/** Every word that was typed stands in the name; the earlier, the better. */
function hasWords(name: string, typed: string): number {
  const words = typed.toLowerCase().trim().split(/\s+/)
  const places = words.map((word) => name.toLowerCase().indexOf(word))
  return places.includes(-1) ? 0 : 1 / (1 + Math.min(...places))
}

interface Item {
  /** The words that find it. */
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

interface CommandsProps {
  readonly typed: string
  readonly fill: (line: string) => void
  readonly onShown: () => void
}

/** A whole command is performed; one that needs more goes on in the box. */
function Commands({ typed, fill, onShown }: CommandsProps) {
  const branch = useBranch()
  const { mutateAsync } = useCommand('shown')
  const line = typed.startsWith('/') ? typed : '/'
  const { data = [] } = useRead<readonly Completion[]>('/api/completions', { line, branch }, { keep: true })
  const run = async (text: string): Promise<void> => {
    hide()
    const answer = await mutateAsync({ text, ...(branch !== undefined && { branch }) }).catch(() => undefined)
    if (answer === undefined) return
    const { said, branch: now } = answer
    // The chat keeps a long answer, and shows where a command has led.
    if (said?.text.includes('\n') || now !== (branch ?? now)) navigate(`/chat/${now}`)
    else if (said?.isError === false) toast(said.text)
  }
  useEffect(onShown)
  const isWhole = line.trim().length > 1 && !data.some((one) => one.line === line)
  const whole = { value: 'run', icon: Slash, words: line, help: 'Enter runs it' }
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
  // The page marks a message to rewind to it; nobody named that mark.
  const marks = data?.marks.filter(({ name }) => !/^at-\d+$/.test(name)) ?? []
  const items = marks.map(({ name, at }) => ({
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
const SPEAKERS: Readonly<Record<string, string>> = { owner: 'you', assistant: 'Mainstem', host: 'Mainstem' }

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
    words: `${SPEAKERS[speaker] ?? speaker}: ${text.slice(0, 120)}`,
    help: <Time at={at} as="day" />,
    act: goTo(`/chat/${handle}?at=${position}`),
  }))
  return <Group name="Said" items={[everything, ...items]} always />
}
