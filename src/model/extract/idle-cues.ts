import { words } from './cue-words.ts'

/** Words that tell what a sentence can be left out for. */

/** What assistants say before they do anything. */
export const POLITE = words(
  'happy to',
  'glad to',
  'let me know',
  'feel free',
  "(?:i'll|i will) (?:explain|walk|break|keep (?:that|it|this|both) in mind|be|help|do my best|remember|wait)",
  'will do',
  'you can always',
  'would you like',
  'can i help',
  'no worries',
  "you're welcome",
  'hope (?:that|this)',
)

/** A story of the day, told for its own sake. */
export const ANECDOTE = words(
  'yesterday|last night|this morning|this evening|tonight|today|just (?:saw|had|ate|watched|woke|got)',
  '(?:i|we) (?:had|saw|went|watched|ate|walked|slept|ran|drank|spotted|woke)',
  '^(?:had|saw|went|watched|ate|walked|slept|ran|drank|spotted|woke)',
  'minutes? late|fell asleep',
  "(?:breakfast|lunch|dinner) was|again$|(?:can't|cannot) believe|why do i|regret",
  'gestern|heute|gerade|ayer|anoche|esta manana|hoy he',
)
/** What is true for everybody is seldom what this conversation has to keep. */
export const GENERAL = words(
  'you (?:can|could|may|might|should|need|want|would|will find)',
  'usually|generally|typically|often|most people|people|researchers|in general|tends? to|for example|such as|imagine|consider',
  "here are|here is|here's|the following|try (?:it|to)|start with|remember to|if you",
)
export const HEDGED = words(
  'maybe|perhaps|might|probably|i guess|i think|sort of|kind of|vielleicht|wohl|quizas|tal vez|no clue',
)
/** Asked of the assistant, and done at once. */
export const REQUEST = words(
  "^(?:please |pls |quick,? |can you |could you )?(?:tell me|give me|show me|explain|recommend|suggest|convert|translate|rephrase|describe|define|summari[sz]e|list|what's|what is|who was|who is|how do i)",
  '^(?:bitte )?(?:erklar|zeig|gib|nenn|ubersetz)(?:e|en)?(?: mir)?',
  '^(?:me )?(?:explicas?|dame|dime|cuentame|traduce)',
)
