/** Line that stands for any number of lines which a guide leaves out. */
const ELLIPSIS = '…'

const ID = /\b(?=\d*[a-z])\d[0-9a-hjkmnp-tv-z]{5}\b/g

/** The ids in a text, in the order in which they come up. */
export function idsIn(text: string): string[] {
  return [...new Set(text.match(ID))]
}

/** What differs from one recording to the next without anything being wrong. */
const MASKS: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{64}\b/g, 'HASH'],
  [/\bprompt [0-9a-f]{8}\b/g, 'prompt HASH'],
  [/\btn_[0-9a-z]{15}\b/g, 'TURN'],
  [/"created":\d+/g, '"created":TIME'],
  [/"(\w+_tokens)":\d+/g, '"$1":TOKENS'],
  [ID, 'ID'],
  [/(?<!\d)\d\d:\d\d(:\d\d(\.\d+)?)?(?!\d)/g, 'TIME'],
  [/(?<![\d.])\d+(\.\d+)? (ms|s|min|h)\b/g, 'SPAN'],
  [/\b[\d.]+ ([kMG]i?)?B\b/g, 'SIZE'],
  [/(?<![\d.-])[\d.]+k?( of [\d.]+k?)? tokens\b/g, 'TOKENS'],
  [/^( +(?:system|tools|messages|summary|recall|together)) +[\d.]+k?\b/gm, '$1 TOKENS'],
  [/\b[\d.]+k? (tokens )?(in|out)\b(?=,|$| )/gm, 'TOKENS $2'],
  [/\([\d.]+k?( tokens| own)?\)/g, '(TOKENS)'],
  [/[▓░]+( [\d.]+k\/[\d.]+k)?/g, 'BAR'],
  [/\b\d+ characters\b/g, 'CHARACTERS'],
  [/\ball (but the newest \d+ events? )?(is )?indexed\b/g, 'INDEXED'],
  // A title is cut where its line is full, so after more letters where a span beside it is shorter.
  [/[^\s']*…'/g, "…'"],
  [/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, 'SPINNER'],
  [/\b(process|pid) \d+/g, 'PROCESS'],
  [/\b(127\.0\.0\.1|localhost):\d+/g, 'PORT'],
  [/(?:\/[\w.@-]+)+\/bin\//g, '/usr/bin/'],
]

/** Whether a recording is what the guide shows. `words`: lines may break elsewhere, as in a chat of 80 columns. */
export function isSame(shown: string, recorded: string, how: 'lines' | 'words'): boolean {
  const parts = shown.split(/^…$/m).map((part) => plain(part, how))
  const all = plain(recorded, how)
  let at = 0
  return parts.every((part, index) => {
    const isLast = index === parts.length - 1
    const found = isLast && index > 0 ? all.length - part.length : all.indexOf(part, at)
    if (found < at || (index === 0 && found > 0) || !all.startsWith(part, found)) return false
    at = found + part.length
    return !isLast || at === all.length
  })
}

export function masked(text: string): string {
  return MASKS.reduce((before, [pattern, mask]) => before.replace(pattern, mask), text)
}

function plain(text: string, how: 'lines' | 'words'): string {
  return how === 'words'
    ? masked(text).replace(/\s+/g, ' ').trim()
    : masked(text)
        .replace(/[^\S\n]+/g, ' ')
        .replace(/ $/gm, '')
        .trim()
}

/** A new recording without what the guide left out of the old one. */
export function elided(shown: string, recorded: string): string {
  const [before, after] = [shown.split('\n'), recorded.split('\n')]
  if (!before.includes(ELLIPSIS)) return recorded
  const kept: string[] = []
  let [old, now] = [0, 0]
  for (const pair of [...alike(before, after), { old: before.length, now: after.length }]) {
    const isLeftOut = before.slice(old, pair.old).includes(ELLIPSIS)
    if (!isLeftOut) kept.push(...after.slice(now, pair.now))
    else if (pair.now > now) kept.push(ELLIPSIS)
    kept.push(...after.slice(pair.now, pair.now + 1))
    old = pair.old + 1
    now = pair.now + 1
  }
  return kept.join('\n')
}

interface Pair {
  readonly old: number
  readonly now: number
}

/** The lines that say about the same on both sides, in order. */
function alike(before: readonly string[], after: readonly string[]): Pair[] {
  const [olds, nows] = [before, after].map((lines) => lines.map((line) => plain(line, 'lines').split(' ')))
  const gain = (old: number, now: number): number => likeness(olds?.[old] ?? [], nows?.[now] ?? [])
  const best = before.map(() => after.map(() => 0))
  const at = (old: number, now: number): number => best[old]?.[now] ?? 0
  for (let old = before.length - 1; old >= 0; old--)
    for (let now = after.length - 1; now >= 0; now--)
      (best[old] as number[])[now] = Math.max(
        at(old + 1, now),
        at(old, now + 1),
        at(old + 1, now + 1) + gain(old, now),
      )
  const pairs: Pair[] = []
  for (let [old, now] = [0, 0]; old < before.length && now < after.length;) {
    if (gain(old, now) > 0 && at(old, now) === at(old + 1, now + 1) + gain(old, now))
      pairs.push({ old: old++, now: now++ })
    else if (at(old, now) === at(old + 1, now)) old++
    else now++
  }
  return pairs
}

/** The share of words that two lines have in common; 0 below a half. Empty lines are alike, but hardly count. */
function likeness(one: readonly string[], other: readonly string[]): number {
  if (one[0] === ELLIPSIS && one.length === 1) return 0
  if (one.join() === '' || other.join() === '') return one.join() === other.join() ? 0.01 : 0
  const shared = one.filter((word) => other.includes(word)).length / Math.max(one.length, other.length)
  return shared < 0.5 ? 0 : shared
}
