import { either, words } from './cue-words.ts'

/** Words around numbers that tell whether the number names a thing or counts something. All folded. */

function setOf(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter((word) => word !== ''))
}

/** What follows these is told of something else. */
export const COPULA = setOf(
  `is are was were be been being it's that's equals became becomes now means
  ist sind war waren sei es son era eran fue sera ser`,
)
/** Where something is or goes. */
export const PLACE = setOf(
  `in at on from to into onto via until till by near inside towards
  im am ab auf nach bis vom zum zur aus bei en a desde hasta al hacia`,
)
/** Between a preposition and its noun. */
export const SKIPPED = setOf(
  `the a an my our your his her their its this that these those new now other same old
  der die das den dem des ein eine einen einem einer mein meine unser unsere neue neuen el la los las un una mi mis nuestro nuestra`,
)
export const PRONOUN = setOf(
  'i we he she they who me us him them hers mine yours ours ich wir er sie du mir ihm uns yo nosotros ella ellos les',
)

/** Between these and a number stands a verb. */
export const HAVING = setOf(
  "has have had i've we've will would can could should must did do does don't ha he han hemos hat haben",
)

/** Behind a verb a number is a quantity. Some are nouns too: "seat 14 was free". */
export const VERB = setOf(
  `cost costs costing weigh weighs take takes took last lasts need needs want wants has have had get gets got pay pays paid
  owe owes spend spends spent earn earns make makes made give gives gave buy buys bought sell sells sold send sends sent
  bring brings brought use uses add adds invite invites seat seats hold holds held measure measures total totals reach
  reaches hit hits score scores win wins won lose loses lost eat eats ate drink drinks drank run runs ran walk walks ride
  cook bake print pack save saves find finds found meet met see saw keep keeps kept left leave set put cut raise rose fell
  grew draw drew write wrote read say says said start starts begin begins end ends turn turns turned arrive arrives
  plan plans expires kostet kosten wiegt braucht brauchen habe nehmen nimmt betragt betragen zahlt zahlen dauert
  cuesta cuestan pesa necesita necesitamos tiene tienen tengo tenemos paga pago dura`,
)
/** Other words behind which a number is a quantity. */
export const LEADING = setOf(
  `aged home against since and or but nor plus minus times x of for with without about around over under above below between per than like as
  roughly approximately approx circa ca max maximum min minimum exactly only just almost nearly least most every each all
  both some any first next last top another more less up down off out if when then so not no number nr num there here
  und oder von mit fur uber unter um ca etwa rund ungefahr mindestens hochstens nur genau
  y o de con por para sobre unos unas
  casi solo mas menos cada`,
)
/** The number behind such a noun is what it measures, unless something is told of both. */
export const MEASURE = setOf(
  `budget price prices cost rent fee fees deposit salary wage total sum amount limit score weight height length width size
  age temperature speed balance rate count quota target goal capacity distance area volume population attendance revenue
  turnover profit loss discount tip tax fare income pin code password passcode phone tel telephone extension port zip
  postcode combination level guests people kids
  preis kosten miete gebuhr kaution gehalt summe betrag gewicht grosse alter telefon plz kennwort
  presupuesto precio coste costo alquiler fianza sueldo suma importe limite peso edad telefono`,
)
/** Behind a number these tell nothing of it. */
export const FOLLOWING = setOf(
  `and or but nor to for from in at on by of with without about into onto via until till before after since during through
  because so as than then now today tomorrow yesterday tonight again instead please too also already soon later first
  if when while where which who that though although not yet only if twice once per each
  und oder aber zu fur von im in am an auf mit nach bis seit bei heute morgen gestern jetzt statt bitte auch noch schon
  y o pero a al de del en con por para desde hasta hoy ayer ahora tambien ya`,
)

/** One thing is taken for another. */
export const SWAPPED = either(
  words(
    'instead|switch(?:ed|ing)?|chang(?:ed|e|ing)|correction|actually|make (?:that|it)|no longer|any ?more|rather|rebooked',
    'statt|stattdessen|doch|gewechselt|umgebucht|geandert|en vez de|en lugar de|cambi(?:o|ado|amos)',
  ),
  /(?:改到|改成|改为|换成)/,
)
