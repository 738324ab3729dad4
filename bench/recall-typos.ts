import { seededRandom, type Random } from '../src/base/random.ts'

/** A word of five letters or more is mistyped so often. */
const SHARE = 0.25
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

/** Slips of the keyboard as people make them; the same seed and question give the same ones. */
export function withTypos(text: string, seed: number): string {
  let mixed = seed >>> 0
  for (const character of text) mixed = (Math.imul(mixed, 31) + (character.codePointAt(0) ?? 0)) >>> 0
  const random = seededRandom(mixed)
  return text.replaceAll(/\p{L}{5,}/gu, (word) => (chance(random) < SHARE ? slip(word, random) : word))
}

function slip(word: string, random: Random): string {
  const at = 1 + Math.floor(chance(random) * (word.length - 2))
  const [before, here, next, after] = [word.slice(0, at), word[at], word[at + 1], word.slice(at + 2)]
  switch (random() % 4) {
    case 0:
      return `${before}${next}${after}`
    case 1:
      return `${before}${next}${here}${after}`
    case 2:
      return `${before}${here}${here}${next}${after}`
    default:
      return `${before}${LETTERS[random() % LETTERS.length]}${next}${after}`
  }
}

function chance(random: Random): number {
  return random() / 2 ** 32
}
