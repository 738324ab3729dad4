import { stemmer } from 'stemmer'
import { beginningOf } from '../../base/words.ts'

const WORD_MAX = 64
/** Accents, points, joiners. Vowel signs of Indian and Thai scripts are marks too, and so is what makes か a が. */
const DROPPED =
  /[[\p{Script=Inherited}--[\u3099\u309a]][\p{Mn}&&[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Cyrillic}]]\u00ad\u0640\u2060]/gv
/** Letters that Unicode does not decompose, with the letters people type instead. */
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

/** The term of a folded word: its stem if it may be English. */
export function stemOf(word: string): string {
  const cut = beginningOf(word, WORD_MAX)
  return /^[a-z]+$/.test(cut) ? stemmer(irregular.get(cut) ?? cut) : cut
}

export function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) return false
  return true
}

/** Irregular forms: the word, then its other forms. */
const FORMS = `
  be am is are was were been; become became; begin began begun; bend bent; bet betted; bind bound;
  bite bit bitten; bleed bled; blow blew blown; break broke broken; breed bred; bring brought; build built;
  burn burnt; buy bought; catch caught; choose chose chosen; cling clung; come came; creep crept;
  deal dealt; dig dug; do did done does; draw drew drawn; dream dreamt; drink drank drunk;
  drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought; find found;
  flee fled; fly flew flown; forbid forbade forbidden; forget forgot forgotten; forgive forgave forgiven;
  freeze froze frozen; get got gotten; give gave given; go went gone goes; grow grew grown; hang hung;
  have had has; hear heard; hide hid hidden; hold held; keep kept; kneel knelt; know knew known; lay laid;
  lead led; lean leant; leap leapt; learn learnt; leave left; lend lent; light lit; lose lost; make made;
  mean meant; meet met; mistake mistook mistaken; overcome overcame; pay paid; prove proven;
  ride rode ridden; ring rang rung; rise rose risen; run ran; say said; see saw seen; seek sought;
  sell sold; send sent; sew sewn; shake shook shaken; shine shone; shoot shot; show shown;
  shrink shrank shrunk; sing sang sung; sink sank sunk; sit sat; sleep slept; slide slid; smell smelt;
  speak spoke spoken; speed sped; spell spelt; spend spent; spill spilt; spin spun; spit spat;
  spoil spoilt; stand stood; steal stole stolen; stick stuck; sting stung; strike struck;
  swear swore sworn; sweep swept; swell swollen; swim swam swum; swing swung; take took taken;
  teach taught; tear tore torn; tell told; think thought; throw threw thrown; understand understood;
  undertake undertook; undergo underwent undergone; wake woke woken; wear wore worn; weave wove woven;
  weep wept; win won; wind wound; withdraw withdrew withdrawn; write wrote written; child children;
  man men; woman women; person people; foot feet; tooth teeth; mouse mice; goose geese; wife wives;
  knife knives; life lives; leaf leaves; half halves; shelf shelves; wolf wolves; thief thieves;
  loaf loaves; scarf scarves; self selves; good better best; bad worse worst; far farther further;
  busy busier
`

/** Informal words for the same thing. */
const FAMILIAR = `
  child kid kids; family fam; photo pic pics photograph photographs picture pictures; mother mom mum moms;
  father dad dads; favorite favourite fave; color colour colours colors; doctor doc; vacation vacay;
  television tv; refrigerator fridge; grandmother grandma granny; grandfather grandpa; movie film films;
  bicycle bike bikes; teenager teen teens; veggie vegetable vegetables veggies; application app apps;
  advertisement ad ads; exam exams examination; laboratory lab; mathematics math maths; gymnasium gym;
  puppy pup pups
`

/** English words whose stem no rule finds, with the word used instead: `went` is found by `go`. */
const irregular: ReadonlyMap<string, string> = new Map(
  `${FORMS};${FAMILIAR}`.split(';').flatMap((group) => {
    const [word = '', ...others] = group.trim().split(/\s+/)
    return others.map((other): [string, string] => [other, word])
  }),
)
