import { ChevronRight, Flag, GitFork, Paperclip } from 'lucide-react'
import { memo, useContext, useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import { addressOf } from '../api/client.ts'
import { Code } from '../text/Code.tsx'
import { Markdown } from '../text/markdown.tsx'
import { bytesText, counted, shortCount } from '../ui/numbers.ts'
import { Time } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import { Coded } from './Approvals.tsx'
import style from './chat.module.css'
import { EntryMenu, hasMenu } from './EntryMenu.tsx'
import { Act, Place } from './place.tsx'
import type { ShownEntry } from './rows.ts'
import type { EntryOf } from './timeline.ts'

/** Entries are read again at every event, and are new objects then; most have not changed. */
export const EntryRow = memo(
  EntryRowView,
  (before, after) => JSON.stringify(before) === JSON.stringify(after),
)

/** `isMarked`: the address names it. */
function EntryRowView({ row, isMarked }: { row: ShownEntry; isMarked: boolean }) {
  const { entry } = row
  const [isMenuOpen, setMenuOpen] = useState(false)
  return (
    <div
      className={style.row}
      data-position={entry.position}
      data-kind={entry.kind}
      data-marked={isMarked}
      onContextMenu={(event) => {
        // A selection or a link has a menu of the browser's own.
        const isOwn = event.target instanceof Element && event.target.closest('a, img, pre') !== null
        if (!hasMenu(entry) || isOwn || getSelection()?.isCollapsed === false) return
        event.preventDefault()
        setMenuOpen(true)
      }}
    >
      {bodyOf(row)}
      {hasMenu(entry) && <EntryMenu entry={entry} isOpen={isMenuOpen} setOpen={setMenuOpen} />}
    </div>
  )
}

const NOTICE = `${ui.quote} ${ui.note} ${style.notice}`

function bodyOf({ entry, isSame, updates }: ShownEntry): ReactNode {
  switch (entry.kind) {
    case 'said':
      return <SaidEntry entry={entry} isSame={isSame} />
    case 'answer':
      return <AnswerEntry entry={entry} isSame={isSame} updates={updates} />
    case 'told':
    case 'note':
      return <ToldEntry entry={entry} />
    case 'command':
      return <CommandEntry entry={entry} />
    case 'ping':
      return <PingEntry entry={entry} />
    case 'question':
      return <QuestionEntry entry={entry} />
    case 'notice':
      return (
        <div className={NOTICE}>
          <p className={style.words}>{entry.text}</p>
          <Files files={entry.files} />
          {entry.choices.length > 0 && <Choices of={entry.position} choices={entry.choices} />}
        </div>
      )
    default:
      return <Line entry={entry} />
  }
}

function SaidEntry({ entry, isSame }: { entry: EntryOf<'said'>; isSame: boolean }) {
  const { at, text, quote, files, place, isElsewhere } = entry
  return (
    <article className={style.message}>
      {!isSame && (
        <header>
          you · <Time at={at} />
          {place !== 'the page' && ` · ${place}`}
        </header>
      )}
      {quote !== null && <blockquote className={`${ui.quote} ${ui.note} ${ui.excerpt}`}>{quote}</blockquote>}
      <Files files={files} />
      {text !== '' && <p className={style.words}>{text}</p>}
      {isElsewhere && <Elsewhere />}
    </article>
  )
}

function AnswerEntry({ entry, isSame, updates }: Pick<ShownEntry, 'isSame' | 'updates'> & Answer) {
  const { branch } = useContext(Place)
  const { at, text, calls, turn, recalled, cut } = entry
  const looked = [
    recalled > 0 && `recalled ${recalled}`,
    updates > 0 && calls.length === 0 && `looked at ${counted(updates, 'update')}`,
  ].filter(Boolean)
  return (
    <article className={style.message}>
      {!isSame && (
        <header>
          Mainstem · <Time at={at} />
        </header>
      )}
      {text !== '' && <Markdown text={text} />}
      {calls.map((call, index) => (
        <CallLine key={index} call={call} />
      ))}
      {cut !== null && <small>{cut === 'stopped' ? 'You stopped it here.' : 'It broke off here.'}</small>}
      {looked.length > 0 && turn !== null && (
        <Link href={`/context/${branch}/${turn}`} className={style.fold}>
          <ChevronRight /> {looked.join(' · ')}
        </Link>
      )}
    </article>
  )
}

interface Answer {
  readonly entry: EntryOf<'answer'>
}

/** One line for a call and its result; it opens. */
/** Marks what may be anybody's words: a model is told that it is data, and what they ask for may not leave unasked. */
function Elsewhere() {
  return (
    <small className={ui.note} title="Text from elsewhere: data, not instructions">
      ↙ elsewhere
    </small>
  )
}

function CallLine({ call }: { call: Answer['entry']['calls'][number] }) {
  const { tool, summary, args, result, isError, isElsewhere } = call
  return (
    <details className={style.fold}>
      <summary>
        <ChevronRight />
        <code data-tone={isError ? 'bad' : 'dim'}>{tool}</code>
        <span className={ui.clip}>{result === null ? `${summary} …` : summary}</span>
        {isElsewhere && <Elsewhere />}
      </summary>
      <div>
        <Code text={args} language="json" />
        {result !== null && <Code text={result} language={/^\s*[[{]/.test(result) ? 'json' : undefined} />}
      </div>
    </details>
  )
}

/** What the model was told by somebody else than the person, and notes; it opens. */
function ToldEntry({ entry }: { entry: EntryOf<'told' | 'note'> }) {
  const { text, at } = entry
  const [from = '', ...about] =
    entry.kind === 'note' ? ['note', NOTED[entry.by] ?? entry.by] : entry.from.split(' ')
  return (
    <details className={style.fold}>
      <summary>
        <ChevronRight />
        <b>{TOLD[from] ?? from.replace(/-bg$/, '')}</b>
        <span className={ui.clip}>{[about.join(' '), text].filter(Boolean).join(' · ')}</span>
        {entry.kind === 'told' && entry.isElsewhere && <Elsewhere />}
        <Time at={at} />
      </summary>
      <div>
        <Markdown text={text} />
      </div>
    </details>
  )
}

/** Who wrote a note. */
const NOTED: Readonly<Record<string, string>> = { person: 'yours', host: '' }

const TOLD: Readonly<Record<string, string>> = {
  'fork-started': 'its task',
  'fork-timeout': 'asked to wrap up',
}

function CommandEntry({ entry: { line, output, isError, at } }: { entry: EntryOf<'command'> }) {
  return (
    <article className={style.message}>
      <header>
        <code>{line}</code> · <Time at={at} />
      </header>
      <pre tabIndex={0} data-tone={isError ? 'bad' : undefined}>
        {output}
      </pre>
    </article>
  )
}

function PingEntry({ entry }: { entry: EntryOf<'ping'> }) {
  const { text, embed, from, at, choices, answer, isCritical, place, number } = entry
  return (
    <article className={`${ui.card} ${style.message} ${style.ping}`} data-critical={isCritical}>
      <header>
        <Link href={`/chat/${entry.branch}`}>{from}</Link> · <Time at={at} />
        {number !== null && ` · #${number}`}
        {place !== 'the page' && ` · to ${place}`}
      </header>
      {embed !== null && <h3>{embed.title}</h3>}
      <Markdown text={embed === null ? text : (embed.description ?? '')} />
      {embed?.fields && (
        <dl className={ui.row}>
          {embed.fields.map(({ name, value }) => (
            <div key={name}>
              <dt className={ui.caption}>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {place === 'the page' && answer === null && <Choices of={entry.position} choices={choices} />}
      {answer !== null && <small>{answer === 'less' ? 'less of this, please' : answer}</small>}
    </article>
  )
}

const VERDICTS: Readonly<Record<string, string>> = {
  once: 'allowed once',
  always: 'always allowed',
  approved: 'approved',
  denied: 'denied',
  expired: 'nobody answered in time',
}

/** An open approval is a card beside the composer. */
function QuestionEntry({ entry }: { entry: EntryOf<'question'> }) {
  const { text, approval, verdict, choices } = entry
  const [title = ''] = text.split('\n')
  return (
    <div className={NOTICE}>
      <p>
        <Coded text={title.replace(/ \(approval \d+\)/, '')} />{' '}
        {verdict !== null && (
          <b data-tone={verdict === 'denied' || verdict === 'expired' ? 'warn' : 'good'}>
            {VERDICTS[verdict]}
          </b>
        )}
      </p>
      {approval === null && <Choices of={entry.position} choices={choices} />}
    </div>
  )
}

/** Picking one presses the button of that message. */
function Choices({ of, choices }: Pick<EntryOf<'notice'>, 'choices'> & { of: number }) {
  return (
    <p className={ui.row}>
      {choices.map(({ label, command }) => (
        <Act key={command} line={command} of={of}>
          {label}
        </Act>
      ))}
    </p>
  )
}

type LineKind = 'mark' | 'cleared' | 'compacted' | 'changed' | 'saved' | 'left' | 'ended'

/** Something that happened to the context, or to a fork of it. */
function Line({ entry }: { entry: EntryOf<LineKind> }) {
  return (
    <p className={style.line} data-tone={entry.kind === 'mark' ? 'warn' : 'dim'}>
      <span className={ui.row}>
        {lineText(entry)}
        {entry.kind === 'compacted' && entry.canExpand && (
          <Act look="text" line={`/expand ${entry.position}`}>
            Expand
          </Act>
        )}
        {'canUndo' in entry && entry.canUndo && (
          <Act look="text" line="/undo">
            Undo
          </Act>
        )}
        {'canRedo' in entry && entry.canRedo && (
          <Act look="text" line="/redo">
            Redo
          </Act>
        )}
        <Time at={entry.at} />
      </span>
    </p>
  )
}

function lineText(entry: EntryOf<LineKind>): ReactNode {
  switch (entry.kind) {
    case 'mark':
      return (
        <>
          <Flag /> <b>{entry.name}</b>
        </>
      )
    case 'cleared': {
      if (entry.drops !== null)
        return entry.drops === 'answer' ? 'asked again' : `edited · ${counted(entry.messages, 'message')}`
      const to = entry.to !== null && /^at-\d+$/.test(entry.to) ? 'an earlier message' : entry.to
      return `${to === null ? 'cleared' : `rewound to ${to}`} · ${counted(entry.messages, 'message')}`
    }
    case 'compacted':
      return `${counted(entry.messages, 'message')} summarized in ${shortCount(entry.tokens)} tokens`
    case 'changed':
      return { expanded: 'summary opened', undone: 'last change undone', redone: 'change restored' }[
        entry.what
      ]
    case 'saved':
    case 'left':
    case 'ended':
      return (
        <span>
          <GitFork /> {entry.kind === 'saved' ? 'saved from' : entry.mode}{' '}
          <Link href={`/chat/${entry.child}`}>{('title' in entry && entry.title) || entry.child}</Link>{' '}
          {entry.kind === 'left' ? 'opened' : entry.kind === 'ended' && entry.reason}
        </span>
      )
  }
}

/** Pictures as pictures, everything else as a link to its bytes. */
export function Files({ files }: Pick<EntryOf<'said'>, 'files'>) {
  return (
    <div className={`${ui.row} ${style.files}`}>
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
          <a key={index} className={`${ui.chip} ${style.file}`} href={address} title={note ?? undefined}>
            <Paperclip />
            {name} <small>{hash === null ? (note ?? 'not kept') : bytesText(bytes)}</small>
          </a>
        )
      })}
    </div>
  )
}
