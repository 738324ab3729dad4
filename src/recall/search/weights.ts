/**
 * How much what counts in a search. Round numbers on plateaus, measured on three kinds of talk: two people who chat, a
 * person and an assistant with long replies, and questions that share no word with their answer. `npm run bench:recall`
 * measures them.
 */

/** FTS5's constants of BM25. */
export const K1 = 1.2
export const B = 0.75

/** A message is also found by what was said around it: most by what it answers. By distance. */
export const BEFORE = [0.6, 0.3, 0.2]
export const AFTER = [0.4, 0.3, 0.2]
/** What follows a question is its answer. */
export const ANSWERS = 1.3
/** A message with more words is long. */
export const NEIGHBOUR_WORDS_MAX = 60

/** Where most of the question's words fell in one session, what was said there counts twice. */
export const IN_SESSION = 1
/** Where a question asks for many, so many hits of a session count fully, and each further one less than the last. */
export const SESSION_HITS = 3
export const AGAIN_IN_SESSION = 0.9

/** Words such as `mention` and `conversation` tell how something is asked for, not what. */
export const OF_ASKING = 0.3

/** By the one whom the question names; by the first of two; where none of those it names ever speaks. */
export const BY_NAMED = 2
export const BY_FIRST_NAMED = 1.3
export const NOT_AMONG_NAMED = 0.5
/** An assistant says much that nobody will ask for, unless the question is about what it said. */
export const BY_ASSISTANT = 0.7
/** Not what people said, but what was made of it. */
export const IS_DERIVED = 0.7
export const FIRST_PERSON = 1.2
/** "Always answer in German", "I prefer trains": wishes told before, where something new is asked for. */
export const WISHES = 2
/** "When" is answered by a time, "how many" by a number. */
export const TELLS_WHEN = 1.4
export const TELLS_HOW_MANY = 1.2
/** Said at the time that the question names, or soon after it: by day, by month, by year. */
export const ON_DAY = 3
export const IN_MONTH = 2
export const IN_YEAR = 1

/** Words of the best hits join the question, with so much weight. */
export const FEEDBACK = 0.2
/** All of them together are worth at most this share of the question's own. */
export const FEEDBACK_MAX = 0.75
export const FEEDBACK_HITS = 5
export const FEEDBACK_TERMS = 10
export const FEEDBACK_WORDS_MAX = 200

/** What was said around a message counts for its meaning too, by distance. */
export const MEANING_AROUND = [0.2, 0.1]

/** No age takes more than a fifth. */
export const AGE_FLOOR = 0.8
