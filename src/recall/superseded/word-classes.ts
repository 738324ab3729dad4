import { folded, stemOf } from '../words/stem.ts'

function setOf(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/u).filter((word) => word !== ''))
}

/** Says nothing of what is spoken of. */
export const FILLING = setOf(
  `the a an this that these those and or of in on at for from to with by as into onto up than then so too also very much
  i me my mine we us our ours you your yours myself it its it's i'm you're we're i've you've we've
  is am are be been being has have having had own owns owned get gets got do does doing
  eat eats eating drink drinks drinking take takes taking
  now new newer current currently usual usually regular actual actually main still really quite just again always any anymore
  more only already since name names called named number after all there here will longer now's one some please can
  right true person user dr mr mrs ms prof herr frau`,
)

/** What says when or how often, and not what. */
export const TIMES = new Set(
  [
    'every day days daily week weeks weekly month months monthly year years yearly morning mornings evening evenings',
    'night nights afternoon afternoons noon weekend weekends often sometimes mostly today tonight tomorrow early late',
    'per each everyday lot lots times time twice once',
  ]
    .join(' ')
    .split(' ')
    .map(stemOf),
)

/** Words that mean the same where a fact is told. */
export const SYNONYMS: ReadonlyMap<string, string> = new Map(
  [
    'favorite favourite',
    'color colour',
    'wlan wifi',
    'mobile phone',
    'cell phone',
    'cellphone phone',
    'telephone phone',
    'passcode password',
    'mum mother',
    'mom mother',
    'dad father',
    'gp doctor',
    'physician doctor',
    'occupation job',
    'profession job',
    'manager boss',
    'bday birthday',
    'flat apartment',
    'mail email',
    'loves like',
    'love like',
    'enjoy like',
    'enjoys like',
    'likes like',
    'adore like',
    'adores like',
    'goes go',
    'bicycle bike',
    'subway metro',
    'underground metro',
  ].map((pair) => {
    const [word = '', meant = ''] = pair.split(' ')
    return [word, meant] as const
  }),
)

const ROLES = setOf(
  `dentist doctor wife husband partner boss landlord landlady accountant lawyer therapist vet hairdresser barber trainer
  coach physio plumber electrician cleaner nanny tutor mother father girlfriend boyfriend fiance fiancee`,
)

/** Of these people have one at a time. */
export function isFunctionalRole(word: string): boolean {
  return ROLES.has(word)
}

const ROLE_STEMS = new Set([...ROLES].map(stemOf))

/** Whose somebody is, and not who. */
export function isKin(one: string): boolean {
  return ROLE_STEMS.has(one) || MANY.has(one)
}

const MANY = new Set(
  `sister brother friend colleague cousin aunt uncle son daughter kid child niece nephew neighbour neighbor teacher client
  customer roommate flatmate pet cat hobby language skill grandmother grandfather grandma grandpa team`
    .split(/\s+/u)
    .map(stemOf),
)

/** Of these people have several, and a second name is another one. */
export function isOneOfMany(one: string): boolean {
  return MANY.has(one)
}

const FAMILY = new Set(
  'sister brother son daughter grandmother grandfather grandma grandpa'.split(' ').map(stemOf),
)

export function isFamily(one: string): boolean {
  return FAMILY.has(one)
}

function classesOf(...lists: readonly string[]): readonly ReadonlySet<string>[] {
  return lists.map((words) => new Set(words.split(' ').map(stemOf)))
}

/** What somebody is one of at a time. */
const STATES = classesOf(
  'vegetarian vegan pescatarian omnivore carnivore flexitarian',
  'single married divorced engaged widowed separated',
  'left-handed right-handed',
  'employed unemployed retired',
)

/** Of the words of such a class one is told of a thing at a time. */
const CLASSES = [
  ...STATES,
  ...classesOf(
    'red blue green yellow orange purple black white grey gray brown pink violet turquoise silver gold beige',
    'coffee tea water juice beer wine milk cocoa',
    'aisle window middle',
    'morning afternoon evening night noon',
    'email call phone text letter',
    'train plane bus car bike ferry tram metro scooter taxi boat foot',
    'small medium large',
    'summer winter spring autumn',
  ),
]

/** "Drinks coffee" and "drinks tea" are no such words: people do both. */
export function stateOf(one: string): ReadonlySet<string> | undefined {
  return STATES.find((words) => words.has(one))
}

export function classOf(one: string): ReadonlySet<string> | undefined {
  return CLASSES.find((words) => words.has(one))
}

/** How somebody has a certain thing, or does something: one of these at a time. */
const MANNERS = classesOf(
  'rare medium welldone',
  'scrambled fried boiled poached',
  'soft hard runny',
  'strong weak',
  'hot cold iced',
  'open closed shut',
  'back side stomach',
  'upstairs downstairs',
  'left right',
)

export function mannerOf(one: string): ReadonlySet<string> | undefined {
  return MANNERS.find((words) => words.has(one))
}

/** What these are is told in words, and one thing is told of each. */
const WORDED = new Set(
  'favourite colour diet language editor size status nationality religion seat currency browser breed instrument blood'
    .split(' ')
    .map(stemOf),
)

export function isWorded(stems: readonly string[]): boolean {
  return stems.some((one) => WORDED.has(one))
}

const SECRETS = new Set(
  'password code pin key username login iban handle nickname combination'.split(' ').map(stemOf),
)

/** What these are is any one word, and no other. */
export function isSecret(stems: readonly string[]): boolean {
  return stems.some((one) => SECRETS.has(one))
}

/** Told of a password, but not the password. */
export const NO_SECRET = setOf(
  'wrong secret correct right different expired gone fine safe weak strong invalid same long short',
)

/** Told of anything, and of nothing what it is. */
const OPINIONS = new Set(
  `great good nice fun closed open hard boring ok okay fine bad busy tired sick happy sad angry important different same
  here there away free full empty done ready late early broken gone expensive cheap easy amazing awesome terrible best`
    .split(/\s+/u)
    .map(stemOf),
)

export function isOpinion(stems: readonly string[]): boolean {
  return stems.some((one) => OPINIONS.has(one))
}

const PLACES = new Set(
  'office gym school home apartment house parking studio shop headquarters warehouse'.split(' ').map(stemOf),
)

/** Where these are is told by a name alone. */
export function isPlaced(stems: readonly string[]): boolean {
  return stems.some((one) => PLACES.has(one))
}

const LETTERS = Array.from({ length: 26 }, (_, at) => String.fromCharCode(65 + at))
const MORE_LANDS = 'england scotland wales usa us uk europe asia africa america bavaria california texas'

let lands: ReadonlySet<string> | undefined

function landNames(): ReadonlySet<string> {
  if (lands !== undefined) return lands
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  const codes = LETTERS.flatMap((one) => LETTERS.map((two) => one + two))
  const known = codes.flatMap((code) => folded(names.of(code) ?? '').split(/[^\p{L}]+/u))
  lands = new Set([...known.filter((name) => name.length > LAND_MIN), ...MORE_LANDS.split(' ')])
  return lands
}
const LAND_MIN = 3

/** Whether a name is a country's: a town in it is not another place. */
export function isLand(name: string): boolean {
  return landNames().has(name)
}

const PEOPLE = /(?:an|ese|ish|ic)$/u
const OTHER_PEOPLES = setOf('dutch french greek czech swiss thai welsh english german spanish turkish')

/** "Dutch", "Brazilian": what somebody is, and not who. */
export function isPeople(name: string): boolean {
  if (OTHER_PEOPLES.has(name)) return true
  return (
    PEOPLE.test(name) && [...landNames()].some((land) => land.length > 4 && name.startsWith(land.slice(0, 4)))
  )
}
