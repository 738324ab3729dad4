import { stemmer } from 'stemmer'
import { irregular } from './irregular.ts'

const WORD_MAX = 64
/** Accents, points, joiners. Vowel signs of Indian and Thai writing are marks too, and so is what makes a か a が. */
const DROPPED =
  /[[\p{Script=Inherited}--[\u3099\u309a]][\p{Mn}&&[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Cyrillic}]]\u00ad\u0640\u2060]/gv
/** Letters which Unicode does not take apart, though people type them so. */
const TYPED_OTHERWISE: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
}

/** One form for all ways to write a text: case, accents, widths and ligatures make no difference. */
export function folded(text: string): string {
  if (isAscii(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(DROPPED, '')
    .replace(/[ßæœøłđðþıς]/g, (letter) => TYPED_OTHERWISE[letter] ?? letter)
    .normalize('NFC')
}

/** The term of a folded word: its stem where it may be English. */
export function stemOf(word: string): string {
  const cut = cutTo(word, WORD_MAX)
  return /^[a-z]+$/.test(cut) ? stemmer(irregular.get(cut) ?? cut) : cut
}

/** Never through a pair of surrogates: half a character cannot be stored. */
function cutTo(word: string, lengthMax: number): string {
  if (word.length <= lengthMax) return word
  const last = word.charCodeAt(lengthMax - 1)
  return word.slice(0, last >= 0xd800 && last < 0xdc00 ? lengthMax - 1 : lengthMax)
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) return false
  return true
}
