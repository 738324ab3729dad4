import { Command } from 'cmdk'
import { Bookmark, GitBranch, Palette as Colours, Search, Slash } from 'lucide-react'
import { useDeferredValue, useState, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import type { AgentView } from '../../src/view/agents.ts'
import { useCommand } from '../api/act.ts'
import { useRead } from '../api/query.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { Time } from '../ui/time.tsx'
import { hide } from './overlay.ts'
import style from './palette.module.css'
import { views } from './routes.tsx'
import { useTheme, type Theme } from './theme.ts'

interface Completion {
  readonly line: string
  readonly label: string
  readonly help: string
}

interface Found {
  readonly hits: readonly {
    readonly position: number
    readonly part: number
    readonly handle: string
    readonly at: string
    readonly speaker: string
    readonly text: string
  }[]
}

/** Everything that can be reached, by typing a part of its name. */
export default function Palette() {
  const [typed, setTyped] = useState('')
  const asked = useDeferredValue(typed)
  const isCommand = typed.startsWith('/')
  return (
    <Dialog title="Find" look="bare" onClose={hide}>
      <Command className={style.palette} label="Find" shouldFilter={!isCommand} loop>
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
              <Themes />
              <Said typed={asked} />
            </>
          )}
        </Command.List>
      </Command>
    </Dialog>
  )
}

interface ItemProps {
  readonly value: string
  readonly icon: ReactNode
  readonly help?: ReactNode
  /** Shown whatever was typed. */
  readonly always?: boolean
  readonly onSelect: () => void
  readonly children: ReactNode
}

function Item({ value, icon, help, always = false, onSelect, children }: ItemProps) {
  return (
    <Command.Item className={style.item} value={value} forceMount={always} onSelect={onSelect}>
      {icon}
      <span className={style.name}>{children}</span>
      {help !== undefined && <small>{help}</small>}
    </Command.Item>
  )
}

function useGo(): (to: string) => void {
  const [, navigate] = useLocation()
  return (to) => {
    hide()
    navigate(to)
  }
}

function Views() {
  const go = useGo()
  return (
    <Command.Group heading="Views">
      {views.map(({ name, title, icon: Icon }) => (
        <Item key={name} value={`view ${title}`} icon={<Icon />} onSelect={() => go(`/${name}`)}>
          {title}
        </Item>
      ))}
    </Command.Group>
  )
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
  if (data.length === 0 && !isWhole) return null
  return (
    <Command.Group heading="Commands">
      {isWhole && (
        <Item
          value={`run ${line}`}
          icon={<Slash />}
          help="Enter performs it"
          onSelect={() => run(line.trim())}
        >
          {line}
        </Item>
      )}
      {data.map(({ line: whole, label, help }) => (
        <Item
          key={label}
          value={`${label} ${help}`}
          icon={<Slash />}
          help={help}
          onSelect={() => (whole.endsWith(' ') ? fill(whole) : run(whole))}
        >
          {label}
        </Item>
      ))}
    </Command.Group>
  )
}

function Marks() {
  const go = useGo()
  const branch = useBranch() ?? 'main'
  const { data } = useRead<{ marks: readonly { name: string; at: number }[] }>('/api/context', {
    branch,
  })
  if (data === undefined || data.marks.length === 0) return null
  return (
    <Command.Group heading="Marks">
      {data.marks.map(({ name, at }) => (
        <Item
          key={name}
          value={`mark ${name}`}
          icon={<Bookmark />}
          help={`mark in ${branch}`}
          onSelect={() => go(`/chat/${branch}?at=${at}`)}
        >
          {name}
        </Item>
      ))}
    </Command.Group>
  )
}

function Branches() {
  const go = useGo()
  const { data } = useRead<{ agents: readonly AgentView[] }>('/api/agents')
  if (data === undefined) return null
  return (
    <Command.Group heading="Branches">
      {data.agents.map(({ id, handle, name, title, mode, run, state }) => (
        <Item
          key={id}
          value={`branch ${name} ${title ?? ''} ${run ?? ''}`}
          icon={<GitBranch />}
          help={`${run ?? mode}, ${state}`}
          onSelect={() => go(`/chat/${handle}`)}
        >
          {name}
          {title !== null && ` · ${title}`}
        </Item>
      ))}
    </Command.Group>
  )
}

const THEMES: readonly (readonly [Theme, string])[] = [
  ['system', 'Colours of the system'],
  ['light', 'Light colours'],
  ['dark', 'Dark colours'],
]

function Themes() {
  const [theme, setTheme] = useTheme()
  return (
    <Command.Group heading="Look">
      {THEMES.map(([name, label]) => (
        <Item
          key={name}
          value={`theme ${label}`}
          icon={<Colours />}
          {...(name === theme && { help: 'now' })}
          onSelect={() => {
            setTheme(name)
            hide()
          }}
        >
          {label}
        </Item>
      ))}
    </Command.Group>
  )
}

const CHARS_MIN = 3

function Said({ typed }: { typed: string }) {
  const go = useGo()
  const q = typed.trim()
  const isAsked = q.length >= CHARS_MIN
  const { data } = useRead<Found>('/api/recall', { q, limit: 6 }, { enabled: isAsked, keep: true })
  if (!isAsked) return null
  return (
    <Command.Group heading="Said" forceMount>
      <Item
        always
        value={`search ${q}`}
        icon={<Search />}
        help="in Memory"
        onSelect={() => go(`/memory?q=${encodeURIComponent(q)}`)}
      >
        Search everything for “{q}”
      </Item>
      {(data?.hits ?? []).map(({ position, part, handle, at, speaker, text }) => (
        <Item
          always
          key={`${position}/${part}`}
          value={`said ${position}/${part}`}
          icon={<Search />}
          help={<Time at={at} as="day" />}
          onSelect={() => go(`/chat/${handle}?at=${position}`)}
        >
          {speaker === 'owner' ? 'you' : speaker}: {text.slice(0, 120)}
        </Item>
      ))}
    </Command.Group>
  )
}
