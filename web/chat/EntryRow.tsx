import { ChevronRight, Flag, GitFork, Paperclip } from 'lucide-react'
import { memo, useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import { useCommand } from '../api/act.ts'
import { addressOf } from '../api/client.ts'
import { Code } from '../text/Code.tsx'
import { Markdown } from '../text/markdown.tsx'
import { Button } from '../ui/button.tsx'
import { bytesText, counted, shortCount } from '../ui/numbers.ts'
import { Time } from '../ui/time.tsx'
import { Coded } from './Approvals.tsx'
import style from './chat.module.css'
import { EntryMenu } from './EntryMenu.tsx'
import type { ShownEntry } from './rows.ts'
import type { Entry, EntryOf } from './timeline.ts'

interface EntryRowProps extends Omit<ShownEntry, 'kind' | 'key'> {
  readonly branch: string
  /** The address names it. */
  readonly isMarked: boolean
  readonly go: (branch: string) => void
  readonly reply: (entry: Entry) => void
}

export const EntryRow = memo(EntryRowView, (before, after) => {
  const isSameEntry =
    before.entry === after.entry || JSON.stringify(before.entry) === JSON.stringify(after.entry)
  const isSamePlace = before.isSame === after.isSame && before.isLast === after.isLast
  return isSameEntry && isSamePlace && before.updates === after.updates
})

function EntryRowView({ entry, isSame, updates, isLast, branch, isMarked, go, reply }: EntryRowProps) {
  const [isMenuOpen, setMenuOpen] = useState(false)
  const hasMenu = ['said', 'answer', 'told', 'note', 'ping', 'notice', 'command'].includes(entry.kind)
  return (
    <div
      className={style.row}
      data-position={entry.position}
      data-kind={entry.kind}
      data-marked={isMarked}
      onContextMenu={(event) => {
        // A selection or a link has a menu of the browser's own.
        const isOwn = event.target instanceof Element && event.target.closest('a, img, pre') !== null
        if (!hasMenu || isOwn || getSelection()?.isCollapsed === false) return
        event.preventDefault()
        setMenuOpen(true)
      }}
    >
      {bodyOf(entry, { isSame, updates, isLast, branch })}
      {hasMenu && <EntryMenu {...{ entry, branch, go, reply, isOpen: isMenuOpen, setOpen: setMenuOpen }} />}
    </div>
  )
}

interface About {
  readonly isSame: boolean
  readonly updates: number
  readonly isLast: boolean
  readonly branch: string
}

function bodyOf(entry: Entry, about: About): ReactNode {
  switch (entry.kind) {
    case 'said':
      return <SaidEntry entry={entry} isSame={about.isSame} />
    case 'answer':
      return <AnswerEntry entry={entry} {...about} />
    case 'told':
      return (
        <Folded
          title={TOLD[entry.from.split(' ')[0] ?? ''] ?? 'told'}
          about={entry.from.replace(/^\S+ ?/, '')}
          text={entry.text}
          at={entry.at}
        />
      )
    case 'note':
      return (
        <Folded
          title="note"
          about={entry.by === 'person' ? 'yours' : entry.by}
          text={entry.text}
          at={entry.at}
        />
      )
    case 'command':
      return <CommandEntry entry={entry} />
    case 'ping':
      return <PingEntry entry={entry} branch={about.branch} />
    case 'question':
      return <QuestionEntry entry={entry} branch={about.branch} />
    case 'notice':
      return (
        <div className={style.notice}>
          <p className={style.words}>{entry.text}</p>
          <Files files={entry.files} />
          {about.isLast && <Choices choices={entry.choices} branch={about.branch} />}
        </div>
      )
    default:
      return <Line entry={entry} branch={about.branch} />
  }
}

const TOLD: Readonly<Record<string, string>> = {
  'fork-started': 'its task',
  'fork-timeout': 'asked to wrap up',
  routine: 'routine',
  'routine-bg': 'routine',
  reminder: 'reminder',
  'reminder-bg': 'reminder',
  webhook: 'webhook',
  system: 'system',
}

function SaidEntry({ entry, isSame }: { readonly entry: EntryOf<'said'>; readonly isSame: boolean }) {
  const { at, text, quote, files, place } = entry
  return (
    <article className={style.said}>
      {!isSame && (
        <header>
          you · <Time at={at} />
          {place !== 'the page' && ` · ${place}`}
        </header>
      )}
      {quote !== null && <blockquote className={style.quote}>{quote}</blockquote>}
      <Files files={files} />
      {text !== '' && <p className={style.words}>{text}</p>}
    </article>
  )
}

function AnswerEntry({ entry, isSame, updates, branch }: About & { readonly entry: EntryOf<'answer'> }) {
  const { at, text, calls, turn, recalled } = entry
  const looked = [
    recalled > 0 && `recalled ${recalled}`,
    updates > 0 && calls.length === 0 && `looked at ${counted(updates, 'update')}`,
  ].filter(Boolean)
  return (
    <article className={style.answer}>
      {!isSame && (
        <header>
          Mainstem · <Time at={at} />
        </header>
      )}
      {text !== '' && <Markdown text={text} />}
      {calls.length > 0 && (
        <ul className={style.calls}>
          {calls.map((call, index) => (
            <CallLine key={index} call={call} />
          ))}
        </ul>
      )}
      {looked.length > 0 && turn !== null && (
        <Link href={`/context/${branch}/${turn}`} className={style.looked}>
          <ChevronRight aria-hidden /> {looked.join(' · ')}
        </Link>
      )}
    </article>
  )
}

/** One line for a call and its result; it opens. */
function CallLine({ call }: { readonly call: EntryOf<'answer'>['calls'][number] }) {
  const { tool, summary, args, result, isError } = call
  return (
    <li>
      <details className={style.call} data-error={isError}>
        <summary>
          <ChevronRight aria-hidden />
          <code>{tool}</code>
          <span>{result === null ? `${summary} …` : summary}</span>
        </summary>
        <div className={style.callInside}>
          <Code text={args} language="json" />
          {result !== null && <Code text={result} language={/^\s*[[{]/.test(result) ? 'json' : undefined} />}
        </div>
      </details>
    </li>
  )
}

function Folded({ title, about, text, at }: { title: string; about: string; text: string; at: string }) {
  return (
    <details className={style.call}>
      <summary>
        <ChevronRight aria-hidden />
        <b>{title}</b>
        <span>{about === '' ? text : `${about} · ${text}`}</span>
        <Time at={at} />
      </summary>
      <div className={style.callInside}>
        <Markdown text={text} />
      </div>
    </details>
  )
}

const LONG_OUTPUT = 1_200

function CommandEntry({ entry: { line, output, isError, at } }: { readonly entry: EntryOf<'command'> }) {
  const [isWhole, setWhole] = useState(output.length < LONG_OUTPUT)
  return (
    <article className={style.command} data-error={isError}>
      <header>
        <code>{line}</code> · <Time at={at} />
      </header>
      <pre>{isWhole ? output : `${output.slice(0, LONG_OUTPUT)}…`}</pre>
      {!isWhole && (
        <Button small look="bare" onClick={() => setWhole(true)}>
          Show all
        </Button>
      )}
    </article>
  )
}

function PingEntry({ entry, branch }: { readonly entry: EntryOf<'ping'>; readonly branch: string }) {
  const { text, embed, from, at, choices, answer, isCritical, place, number } = entry
  const canAnswer = place === 'the page' && answer === null
  return (
    <article className={style.ping} data-critical={isCritical}>
      <header>
        <Link href={`/chat/${entry.branch}`}>{from}</Link> · <Time at={at} />
        {number !== null && ` · #${number}`}
        {place !== 'the page' && ` · to ${place}`}
      </header>
      {embed === null ? (
        <Markdown text={text} />
      ) : (
        <>
          <h3>{embed.title}</h3>
          {embed.description !== undefined && <Markdown text={embed.description} />}
          <dl>
            {embed.fields?.map(({ name, value }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
      {canAnswer && <Choices choices={choices} branch={branch} />}
      {answer !== null && <small className={style.quiet}>{ANSWERS[answer] ?? answer}</small>}
    </article>
  )
}

const ANSWERS: Readonly<Record<string, string>> = {
  done: 'done',
  snoozed: 'snoozed',
  less: 'less of this, please',
}

const VERDICTS: Readonly<Record<string, string>> = {
  once: 'allowed once',
  always: 'always allowed',
  approved: 'approved',
  denied: 'denied',
  expired: 'nobody answered in time',
}

/** An open approval is a card beside the composer. */
function QuestionEntry({ entry, branch }: { readonly entry: EntryOf<'question'>; readonly branch: string }) {
  const { text, approval, verdict, choices } = entry
  const [title = ''] = text.split('\n')
  return (
    <div className={style.notice}>
      <p>
        <Coded text={title.replace(/ \(approval \d+\)/, '')} />{' '}
        {verdict !== null && <b data-verdict={verdict}>{VERDICTS[verdict]}</b>}
      </p>
      {approval === null && <Choices choices={choices} branch={branch} />}
    </div>
  )
}

interface ChoicesProps {
  readonly choices: readonly { readonly label: string; readonly command: string }[]
  readonly branch: string
}

/** Picking one types its command. */
function Choices({ choices, branch }: ChoicesProps) {
  const { mutate, isPending } = useCommand()
  if (choices.length === 0) return null
  return (
    <p className={style.choices}>
      {choices.map(({ label, command }) => (
        <Button key={command} small disabled={isPending} onClick={() => mutate({ text: command, branch })}>
          {label}
        </Button>
      ))}
    </p>
  )
}

type LineKind = 'mark' | 'cleared' | 'compacted' | 'changed' | 'saved' | 'left' | 'ended'

/** Something that happened to the context, or to a fork of it. */
function Line({ entry, branch }: { readonly entry: EntryOf<LineKind>; readonly branch: string }) {
  const { mutate, isPending } = useCommand()
  const act = (text: string, label: string) => (
    <button type="button" disabled={isPending} onClick={() => mutate({ text, branch })}>
      {label}
    </button>
  )
  return (
    <p className={style.line} data-kind={entry.kind}>
      <span>
        {entry.kind === 'mark' && <Flag aria-hidden />}
        {(entry.kind === 'left' || entry.kind === 'ended' || entry.kind === 'saved') && (
          <GitFork aria-hidden />
        )}
        {lineText(entry)}
        {entry.kind === 'compacted' && entry.canExpand && act('/expand', 'Expand')}
        {'canUndo' in entry && entry.canUndo && act('/undo', 'Undo')}
        <Time at={entry.at} />
      </span>
    </p>
  )
}

function lineText(entry: EntryOf<LineKind>): ReactNode {
  switch (entry.kind) {
    case 'mark':
      return <b>{entry.name}</b>
    case 'cleared':
      return entry.to === null
        ? `cleared · ${counted(entry.messages, 'message')}`
        : `rewound to ${/^at-\d+$/.test(entry.to) ? 'an earlier message' : entry.to} · ${counted(entry.messages, 'message')}`
    case 'compacted':
      return `${counted(entry.messages, 'message')} summarized in ${shortCount(entry.tokens)} tokens`
    case 'changed':
      return { expanded: 'summary opened', undone: 'last change undone', redone: 'change restored' }[
        entry.what
      ]
    case 'saved':
      return (
        <>
          saved from <Link href={`/chat/${entry.child}`}>{entry.child}</Link>
        </>
      )
    case 'left':
    case 'ended':
      return (
        <>
          {entry.mode} <Link href={`/chat/${entry.child}`}>{entry.title ?? entry.child}</Link>{' '}
          {entry.kind === 'left' ? 'opened' : entry.reason}
        </>
      )
  }
}

type FileView = EntryOf<'said'>['files'][number]

/** Pictures as pictures, everything else as a link to its bytes. */
export function Files({ files }: { readonly files: readonly FileView[] }) {
  if (files.length === 0) return null
  return (
    <div className={style.files}>
      {files.map(({ name, hash, mime, bytes, width, height, note }, index) => {
        const address = hash === null ? undefined : addressOf(`/api/files/${hash}`, { name })
        if (address !== undefined && mime.startsWith('image/'))
          return (
            <a key={index} href={address} target="_blank" rel="noopener">
              <img
                src={address}
                alt={name}
                loading="lazy"
                width={width ?? undefined}
                height={height ?? undefined}
              />
            </a>
          )
        return (
          <a key={index} className={style.file} href={address} title={note ?? undefined}>
            <Paperclip aria-hidden />
            {name} <small>{hash === null ? (note ?? 'not kept') : bytesText(bytes)}</small>
          </a>
        )
      })}
    </div>
  )
}
