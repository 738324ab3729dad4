import type { ReactNode } from 'react'
import { Card, CardHead, Chip, Dot } from '../ui/surface.tsx'
import ui from '../ui/ui.module.css'
import style from './settings.module.css'

interface ListCardProps {
  readonly title: string
  /** Beside the title. */
  readonly head?: ReactNode
  /** Says what would be here, while there is nothing. */
  readonly none?: ReactNode
  readonly foot?: ReactNode
  readonly children: readonly ReactNode[]
}

/** A card with a row for each thing. */
export function ListCard({ title, head, none, foot, children }: ListCardProps) {
  return (
    <Card>
      <CardHead title={title}>{head}</CardHead>
      {children.length === 0 && none !== undefined && (
        <p className={ui.inside} data-tone="dim">
          {none}
        </p>
      )}
      <ul className={ui.rows}>{children}</ul>
      {foot !== undefined && <p className={`${ui.note} ${style.foot}`}>{foot}</p>}
    </Card>
  )
}

interface ListRowProps {
  readonly tone?: 'good' | 'warn' | 'bad' | 'none'
  readonly name: ReactNode
  readonly chip?: ReactNode
  readonly about: ReactNode
  /** Its buttons. */
  readonly children?: ReactNode
}

/** How it is, its name, a few words, and what can be done with it. */
export function ListRow({ tone, name, chip, about, children }: ListRowProps) {
  return (
    <li className={`${ui.row} ${style.row}`}>
      {tone !== undefined && <Dot tone={tone} />}
      <b>{name}</b>
      {chip && <Chip>{chip}</Chip>}
      <span className={`${ui.note} ${style.about}`}>{about}</span>
      {children}
    </li>
  )
}
