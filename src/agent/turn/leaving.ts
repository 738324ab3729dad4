import { getBranch, lineOf } from '../../context/branch.ts'
import { hasElsewhere, isElsewhereAt } from '../../context/origin.ts'
import { listAtVersion, listOf } from '../../context/version.ts'
import { FENCE_OPENING } from '../../event/fence.ts'
import type { BranchId, Position, TurnId } from '../../event/id.ts'
import { isSummary, type Item } from '../../event/item.ts'
import type { Reader } from '../../event/table.ts'
import { isHostIn, isSameSite } from '../../tool/web/web-address.ts'
import { importedTo } from '../state/newest.ts'
import type { AgentSettings } from '../state/settings.ts'
import { contentOf } from '../state/setup.ts'
import { givenTable, modelCallTable } from '../state/tables.ts'
import { reasonsFor, type Recorded } from './call-prompt.ts'

/** What may leave, and where to (LEAVE1). */

/**
 * Whether text from elsewhere stood in the newest prompt of a turn, in its list, in what recall brought back, or in its
 * system text, where a run has what the commands of its skills printed: what its model says may then be anybody's wish.
 * Nobody vouches for what an import says of itself.
 */
export function readElsewhere(reader: Reader, turn: TurnId): boolean {
  const [row] = reader.rows(modelCallTable, { prefix: [turn], order: 'down', limit: 1 })
  if (row === undefined) return false
  const called = reader.event(row.position) as Recorded
  if (contentOf(reader, called.system).includes(FENCE_OPENING)) return true
  const items = listAtVersion(reader, called.version, called.head)
  const recalled = (reasonsFor(reader, called) ?? []).flatMap(({ position, answers = position }) => [
    ...new Set([position, answers]),
  ])
  if (hasElsewhere(reader, items) || recalled.some((one) => isElsewhereAt(reader, one))) return true
  const imported = importedTo(reader)
  return imported > 0 && [...items.map(placeOf), ...recalled].some((one) => isImported(reader, one, imported))
}

function placeOf(item: Item): Position {
  return isSummary(item) ? item.summary : item.from
}

/** Whether it is imported, or a summary that covers what is. */
function isImported(reader: Reader, position: Position, imported: number): boolean {
  if (position <= imported) return true
  const event = reader.event(position)
  const covers = event.kind === 'context-compacted' ? event.summaries.flatMap((one) => one.covers) : []
  return covers.some((item) => isImported(reader, placeOf(item), imported))
}

type Asked = { readonly href: string } & Pick<AgentSettings, 'web'>

/**
 * Whether somebody gave an address, in this home, or only a page whose own address a model made up. One that differs in a
 * letter counts as made up, since that letter could carry something.
 */
export function giverOf(
  reader: Reader,
  id: BranchId,
  { href, web }: Asked,
): 'somebody' | 'made-up page' | undefined {
  if (web.addresses.includes(href)) return 'somebody'
  const { host } = new URL(href)
  const imported = importedTo(reader)
  const rows = conversationOf(reader, id)
    .map((branch) => reader.row(givenTable, [branch, host, href]))
    .filter((row) => row !== undefined && row.position > imported)
  if (rows.some((row) => row?.is_made_up === 0)) return 'somebody'
  return rows.length > 0 ? 'made-up page' : undefined
}

/** Where the part of an address begins that nobody gave; undefined: its host is open. */
export function composedFrom(reader: Reader, id: BranchId, { href, web }: Asked): number | undefined {
  if (isHostIn(href, web.openHosts)) return undefined
  const { host } = new URL(href)
  const known = conversationOf(reader, id).flatMap((branch) =>
    reader.rows(givenTable, { prefix: [branch, host], order: 'up', limit: KNOWN_MAX }),
  )
  const shared = known
    .filter(({ position, is_made_up: isMadeUp }) => position > importedTo(reader) && isMadeUp === 0)
    .map((one) => sharedLength(one.href, href))
  return Math.max(href.indexOf(host), ...shared)
}

/** Beyond this many addresses of one host, the part that is marked may be longer than it has to be. */
const KNOWN_MAX = 500

/**
 * What a page offers whose address a model made up: links of its own site. Others may repeat what the address said, and
 * would carry it on to whom it was not sent yet.
 */
export function offeredBy(madeUp: string, links: readonly string[]): string[] {
  return links.filter((link) => isSameSite(new URL(madeUp), new URL(link)))
}

/** Up to the end of the last part of the path or the query that both have. Something of it is always left: nobody gave it. */
function sharedLength(one: string, other: string): number {
  let end = 0
  while (end < Math.min(one.length, other.length - 1) && one[end] === other[end]) end++
  return other.slice(0, end).search(/[^/?&=#]*$/)
}

/** The branch, those above it, and those whose messages were saved into it. */
function conversationOf(reader: Reader, id: BranchId): BranchId[] {
  const branch = getBranch(reader, id)
  const above = lineOf(reader, branch).map((one) => one.id)
  return [...new Set([...above, ...listOf(reader, branch).map(({ src }) => src)])]
}
