import { limits } from '../../base/limits.ts'
import { seededRandom } from '../../base/random.ts'
import { oneLine, shorten } from '../../base/width.ts'
import { livingFrom } from '../../context/living.ts'
import type { Author } from '../../event/event.ts'
import type { IdSeed } from '../../event/id.ts'
import { ASSISTANT, HOST, OWNER, UNNAMED } from '../../event/speaker.ts'
import type { Reader, Writing } from '../../event/table.ts'
import type { Address } from '../../event/work.ts'
import { ok, refusal, type Actor, type Said } from '../contract/act.ts'
import { placeNow, say } from '../state/outbox.ts'
import {
  bindTo,
  boundTo,
  identityKey,
  newestPairings,
  openPairings,
  PAIRING_MS,
  peopleIn,
  personIn,
  roleOf,
  type Identity,
  type Pairing,
  type Person,
} from '../state/person.ts'
import { identityTable, personTable } from '../state/tables.ts'
import { boundBranch, mainFor, newMain } from './binding.ts'

/** Without letters and digits that are taken for each other. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** Somebody whom nobody knows, and where they wrote. */
export interface Stranger extends Identity, Address {
  readonly userName: string
}

/**
 * Shows a stranger a code, which the owner is asked about; undefined: there is nobody to ask about. There is one hint an
 * hour for each stranger, few for all of them, and while too many codes wait it has none (SAFE1).
 */
export function askPairing(writing: Writing, stranger: Stranger, contact: IdSeed): Pairing | undefined {
  const { at } = contact
  if (!mayAsk(writing, stranger, at)) return undefined
  const { channel, conversation, user, userName: name } = stranger
  const code = newCode(writing, contact)
  const branch = mainFor(writing, OWNER, contact)
  const asked = { kind: 'pairing-asked', branch, at, channel, conversation, user, name, code } as const
  const isFull = openPairings(writing, at).length >= limits.pairingsMax
  const position = writing.append(asked)
  const text = isFull
    ? 'This assistant is private, and others are waiting to be let in. Please try again in an hour.'
    : `This assistant is private. Its owner can let you in with this code: ${code}`
  say(writing, { branch, at, to: { channel, conversation }, notice: 'pairing', text, cause: position })
  if (!isFull) return writing.event(position) as Pairing
  // A code that nobody sees, so that this hint counts as one.
  const author = { by: 'policy', name: 'too-many-codes' } as const
  writing.append({ kind: 'pairing-decided', branch, at, code, decision: 'refused', author })
  return undefined
}

export function mayAsk(reader: Reader, stranger: Identity, now: number): boolean {
  const recent = newestPairings(reader)
    .map(({ position }) => reader.event(position) as Pairing)
    .filter(({ at }) => Math.abs(now - at) < PAIRING_MS)
  if (recent.length >= limits.hintsPerHour) return false
  return !recent.some((asked) => identityKey(asked) === identityKey(stranger))
}

function newCode(reader: Reader, { seed, at }: IdSeed): string {
  const random = seededRandom(seed)
  const four = (): string =>
    Array.from({ length: 4 }, () => LETTERS.charAt(random() % LETTERS.length)).join('')
  for (;;) {
    const code = `${four()}-${four()}`
    if (openPairings(reader, at).every((open) => open.code !== code)) return code
  }
}

/**
 * Lets the stranger with this code in: as the owner (`me`), as a guest who is known already, or as a new one. `isNew`:
 * as somebody new in any case, for a button, whose name the stranger chose: whoever has that name by now may be another.
 */
export function actApprovePairing(
  writing: Writing,
  actor: Actor,
  { code, as: name, isNew }: { readonly code: string; readonly as: string; readonly isNew: boolean },
): Said {
  const asked = pairingWith(writing, code, actor.at)
  if (asked === undefined) return unknownCode(code)
  const as = isNew ? newName(writing, name, 'Guest') : name
  const isMe = as === 'me'
  if (!isMe && RESERVED.has(as.toLowerCase()))
    return refusal(`'${as}' cannot be a guest's name. For your own account: /pair approve ${asked.code} me`)
  const { branch, at, author } = actor
  const { channel, conversation, user } = asked
  const known = isMe ? undefined : personNamed(writing, as)
  if (known?.role === 'group') return refusal(`${known.name} is a group. Choose another name for the guest.`)
  const person = isMe
    ? OWNER
    : (known?.person ?? addPerson(writing, { name: as, role: 'guest' }, actor).person)
  const main = mainFor(writing, person, actor)
  const decision = isMe ? 'me' : 'guest'
  const identity = { person, channel, user, conversation, author }
  writing.append({ kind: 'identity-linked', branch: main, at, ...identity })
  const decided = { code: asked.code, decision, ...(!isMe && { person }), author } as const
  writing.append({ kind: 'pairing-decided', branch, at, ...decided })
  bindTo(writing, asked, { branch: main, at, author })
  const text = isMe ? 'This conversation is yours now.' : `Welcome, ${as}. You can write to me here now.`
  say(writing, { branch: main, at, to: asked, notice: 'welcome', text, cause: null })
  const who = `${identityKey(asked)} (${asked.name})`
  if (isMe) return ok(`Paired: ${who} is you. What you write there goes to main.`)
  return ok(
    known === undefined
      ? `Paired: ${who} is ${as}, a guest. /people lists everybody.`
      : `Paired: ${who} is ${known.name} too.`,
  )
}

export function actRefusePairing(writing: Writing, { branch, at, author }: Actor, code: string): Said {
  const asked = pairingWith(writing, code, at)
  if (asked === undefined) return unknownCode(code)
  const decided = { code: asked.code, decision: 'refused', author } as const
  writing.append({ kind: 'pairing-decided', branch, at, ...decided })
  return ok(`Refused ${asked.name} (${identityKey(asked)}).`)
}

/** However it is typed: `abcdefgh` is `ABCD-EFGH`. */
function pairingWith(reader: Reader, typed: string, now: number): Pairing | undefined {
  return openPairings(reader, now).find(({ code }) => bareCode(code) === bareCode(typed))
}

function bareCode(code: string): string {
  return code.replaceAll(/[^a-z\d]/gi, '').toUpperCase()
}

function unknownCode(code: string): Said {
  const what = shorten(oneLine(code), 20)
  return refusal(`No one is waiting with the code ${what}. Codes work for an hour; /pair lists them.`)
}

/** The name that a button offers for the stranger who asked last: nobody has it, and no other button offers it. */
export function offeredName(reader: Reader, now: number): string {
  const names: string[] = []
  for (const { name } of openPairings(reader, now).toReversed())
    names.push(newName(reader, name, 'Guest', names))
  return names.at(-1) ?? 'Guest'
}

/** Notes where an account of the setting `links` writes from, so that nothing is sent there once it is taken out. */
export function noteLink(
  writing: Writing,
  { channel, conversation, user }: Identity & Address,
  contact: IdSeed,
): void {
  const branch = mainFor(writing, OWNER, contact)
  const author = { by: 'policy', name: 'links' } as const
  const linked = { person: OWNER, channel, user, conversation, isLink: true, author } as const
  writing.append({ kind: 'identity-linked', branch, at: contact.at, ...linked })
}

/** Whatever somebody calls themselves or their group, this name is nobody's yet, and not the owner's. */
function newName(
  reader: Reader,
  name: string,
  otherwise: 'Guest' | 'Group',
  offered: readonly string[] = [],
): string {
  const taken = new Set(offered.map((one) => one.toLowerCase()))
  const first = name === '' || RESERVED.has(name.toLowerCase()) ? otherwise : name
  for (let count = 1; ; count++) {
    const free = count === 1 ? first : `${first} ${count}`
    if (personNamed(reader, free) === undefined && !taken.has(free.toLowerCase())) return free
  }
}

/** Makes a stranger of a guest again, or forgets a group: their identities, their branches and their jobs end. */
export function actRemovePerson(
  writing: Writing,
  { branch, at, author, settings }: Actor,
  word: string,
): Said {
  const { links } = settings
  if (links.includes(word)) return refusal(linkedText(word, links))
  const linked = writing.row(identityTable, [word])
  if (linked !== undefined && linked.person !== null) {
    const { channel, identity } = linked
    const user = identity.slice(channel.length + 1)
    writing.append({ kind: 'identity-unlinked', branch, at, channel, user, author })
    return ok(`Removed ${identity}. To write from there again, they need a new code.`)
  }
  const known = personNamed(writing, word)
  if (known === undefined)
    return refusal(`There is no guest '${shorten(oneLine(word), 40)}'. /people lists them.`)
  const { person, name, main } = known
  writing.append({ kind: 'person-removed', branch, at, person, author })
  const ended = livingFrom(writing, main).toReversed()
  for (const one of ended) writing.append({ kind: 'branch-ended', branch: one, at, reason: 'killed', author })
  return ok(`Removed ${name}. To write again, they need a new code.`, { abort: ended })
}

function linkedText(account: string, links: readonly string[]): string {
  const left = links.filter((one) => one !== account)
  const command = left.length === 0 ? 'config unset links' : `config set links ${left.join(',')}`
  return `${account} is yours because the setting links names it. Take it out in a terminal: mainstem ${command}`
}

/** By id or by name. */
function personNamed(reader: Reader, word: string): Person | undefined {
  const typed = word.toLowerCase()
  const people = peopleIn(reader)
  return (
    people.find(({ person }) => person === typed) ?? people.find(({ name }) => name.toLowerCase() === typed)
  )
}

/** The group that a conversation of several people is; it is added when somebody we know first writes there. */
export function groupFor(
  writing: Writing,
  { title, ...address }: Address & { title: string },
  contact: IdSeed,
): string {
  const bound = boundBranch(writing, address)
  const known = bound && personIn(writing, bound)
  if (known !== undefined && roleOf(writing, known) === 'group') return known
  const author = { by: 'policy', name: 'first-contact' } as const
  const name = newName(writing, title, 'Group')
  const { person, main } = addPerson(writing, { name, role: 'group' }, { ...contact, author })
  bindTo(writing, address, { branch: main, at: contact.at, author })
  return person
}

/** A group goes on under another id, as the same one. False: it is no group, or something else is there already. */
export function moveGroup(
  writing: Writing,
  { channel, conversation, to, at }: Address & { readonly to: string; readonly at: number },
): boolean {
  const before = { channel, conversation }
  if (placeNow(writing, before).conversation === to) return true
  const branch = boundTo(writing, before)
  if (branch === undefined || roleOf(writing, personIn(writing, branch)) !== 'group') return false
  const place = { channel, conversation: to }
  if (boundTo(writing, place) !== undefined) return false
  const author = { by: 'policy', name: 'conversation-moved' } as const
  bindTo(writing, { ...place, before: conversation }, { branch, at, author })
  return true
}

/** Adds somebody with a main session of their own. */
function addPerson(
  writing: Writing,
  { name, role }: Pick<Person, 'name' | 'role'>,
  { author, ...contact }: IdSeed & { readonly author: Author },
): Pick<Person, 'person' | 'main'> {
  const person = newPersonId(writing, name, role)
  const main = newMain(writing, contact)
  writing.append({
    kind: 'person-added',
    branch: main,
    at: contact.at,
    person,
    name,
    role,
    main,
    author,
  })
  return { person, main }
}

/** Words that mean somebody else where a person is named. */
const RESERVED: ReadonlySet<string> = new Set([OWNER, UNNAMED, ASSISTANT, HOST, 'me', 'model', 'you'])

const ID_MAX = 24

/** `ana`, or `ana-2` if there was one before: it stands in paths, and in files as `for: ana`. */
function newPersonId(reader: Reader, name: string, role: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const slug = plain
    .replaceAll(/[^a-z\d]+/g, '-')
    .slice(0, ID_MAX)
    .replaceAll(/^-+|-+$/g, '')
  const first = slug === '' || RESERVED.has(slug) ? role : slug
  for (let count = 1; ; count++) {
    const id = count === 1 ? first : `${first}-${count}`
    if (reader.row(personTable, [id]) === undefined) return id
  }
}
