const NOT_ASCII = /[^\p{ASCII}]/u
const MARKS = /\p{M}+/gu

/** Lower case without accents, so that one plain pattern finds a word in any spelling. */
export function fold(text: string): string {
  const lower = text.toLowerCase()
  if (!NOT_ASCII.test(lower)) return lower
  return lower
    .normalize('NFD')
    .replaceAll(MARKS, '')
    .replaceAll('ß', 'ss')
    .replaceAll(/[’‘]/g, "'")
    .normalize('NFC')
}

const WORD = /[\p{L}\p{N}][\p{L}\p{N}'_]*/gu
export const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** The subject of a sentence: stems of its words, without the most common ones. */
export function stemsOf(folded: string): Set<string> {
  const stems = new Set<string>()
  for (const [word] of folded.matchAll(WORD)) {
    if (UNSPACED.test(word)) for (const pair of pairs(word)) stems.add(pair)
    else if (word.length > 2 && !/^\d/.test(word) && !STOP.has(word)) stems.add(stem(word))
  }
  return stems
}

/** Scripts without spaces have no words, so every two neighbouring characters count as one. */
export function pairs(word: string): string[] {
  const characters = Array.from(word)
  if (characters.length === 1) return characters
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`)
}

export function stem(word: string): string {
  const bare = word.replace(/'\w*$/, '')
  const cut = bare.replace(/(?:ings?|ed|es|s|en|e|y)$/, '')
  return cut.length < 3 ? bare : cut
}

/** How many are in both. */
export function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a]
  let count = 0
  for (const one of small) if (large.has(one)) count++
  return count
}

/** Whether each has something that the other lacks. */
export function areApart(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const common = shared(a, b)
  return common < a.size && common < b.size
}

export const STOP: ReadonlySet<string> = new Set(
  `the and for are but not you all any can had her was one our out day get has him his how man new now old see two way
  who did its let put say she too use that this with have from they know want been good much some time very when come
  here just like long make many more only over such take than them well were what will your about after again also back
  because before being both could does doing down each even every first going gonna got into keep last later less maybe
  might most must need next off once other own please really right should since something still sure then there these
  thing think those though through today tomorrow tonight under until upon want wants way went where whether which while
  whole why would yes yesterday yet it's i'm i'll i've i'd don't didn't doesn't isn't that's let's we're we'll you're
  can't won't haven't hasn't there's what's he's she's they're noted great thanks thank okay nice lovely shall remind
  decided decide agreed move moved changed change wait postponed pushed rescheduled not never always said says tell told ask asked per around means called
  ich und der die das ist nicht ein eine einen einem einer wir sie mir mich dir dich ihr ihn auf mit von fur den dem des
  auch aber noch nur schon wenn wie was wer man hat habe haben sind war bin bist wird werden kann muss soll zum zur bei
  aus nach vor uber dann doch mal sehr hier dort jetzt heute morgen gestern bitte danke gut ganz alle alles etwas nichts
  los las una uno unos unas por para con sin del que como pero mas muy hay esta este esto eso ese esa son ser era fue
  tengo tiene tienes hemos han nos les mis tus sus porque cuando donde quien tambien todo toda todos hoy ayer manana
  gracias vale bueno`
    .split(/\s+/)
    .filter((word) => word !== ''),
)
