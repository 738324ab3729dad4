import { either, words } from './cue-words.ts'

/** Nobody knows yet. */
export const OPEN = either(
  words(
    "(?:not|isn't|aren't|wasn't) (?:yet |been )?(?:sure|decided|clear|certain|settled|told|confirmed)",
    'undecided|unclear|unsure|unresolved|tbd|tbc|unknown|dunno|idk',
    'no (?:idea|clue|answer|decision)|beats me|who knows|hard to (?:say|tell)',
    "(?:don'?t|do not|didn'?t|doesn'?t|couldn'?t|can'?t|cannot|haven'?t|hasn'?t|won'?t) (?:\\w+ )?(?:know|decide|decided|ask|asked|verify|verified|check|checked|tell|told|find|found|reach|hear|heard|settle|settled|figure|figured|say|said)",
    'open (?:question|point|issue)|(?:still|stays?|leave it|remains?|left) (?:wide )?open|up in the air|on the fence',
    'still (?:undecided|unsure|thinking|waiting|nobody|need to (?:decide|find|ask|figure|clarify)|have to (?:decide|find|ask|clarify))',
    '(?:got to|gotta|have to|need to|must|should) (?:ask|find out|figure out|clarify|talk to)',
    'wonder(?:ing)?|to be (?:decided|confirmed|determined|discussed)',
    'nobody (?:knows?|could|can|yet|is (?:assigned|sure|responsible))|no one (?:knows?|could|can|yet|is (?:assigned|sure))',
    'back and forth|torn (?:between)?|(?:is|are|team is) split|can.?t decide|jury is',
    'keine ahnung|keinen plan|noch offen|unklar|ungeklart|noch nicht (?:klar|entschieden|sicher)|steht noch nicht|weiss (?:es |ich |noch )?nicht|nicht sicher|unsicher|(?:mussen|muss) (?:wir |ich )?(?:noch )?(?:klaren|fragen)',
    'no (?:lo )?(?:se|sabemos)|todavia no|aun no|pendiente|no (?:estoy|estamos) segur[oa]s?|ni idea|por (?:decidir|confirmar)|no (?:esta|lo tenemos) claro|falta (?:saber|decidir)',
  ),
  /(?:不知道|不清楚|不确定|不確定|还没|還沒|没想好|没决定|没定|待定|再说|未定)/,
)
/** An answer that is none. */
export const DEFERRED = either(
  words(
    'depends|it comes down to|opinions differ|hard to say',
    "i'd have to (?:check|look|ask)",
    "(?:i|we)(?:'ll| will) (?:check|look|find out|try again|ask|see|think|get back|let you know|sleep on it|talk about|discuss|decide)",
    '^will (?:check|look|ask|see|think)',
    "let(?:'s| me) (?:check|wait|think|see|look|ask|sleep on)",
    'one (?:is )?for (?:\\w+ )?\\w+|please ask|ask (?:your|the|him|her|them)',
    '(?:will|would) (?:know|have to (?:ask|check))|(?:has|have) to look at it',
    'sometime|not now|later|think (?:about )?it(?: over)?|let me think|another time|sleep on it|come back to (?:it|this|that)|revisit|park(?:ing|ed) (?:it|that|this)|for now',
    '(?:need|have|got|gotta|want) (?:to )?(?:talk|speak) (?:to|with|about)',
    'do you have (?:it|them|the)',
    'could ask|could \\w+ know|konntest du .{0,30}(?:klaren|fragen)|musste in',
    'kommt darauf an|spater|mal (?:sehen|schauen)|ich frage|frag(?:e|en)? ',
    'depende|luego|mas tarde|ya veremos|a ver|lo pienso|(?:tengo|tendrias|habria|hay) que (?:mirar|preguntar(?:lo)?)',
  ),
  /(?:再看|再想|以后|之后|看情况|要看|问一下|问问|查一下)/,
)
export const DONE = either(
  words(
    "(?:is|are|it's|all|that's|i've|we've|have|has|got) (?:\\w+ )?(?:done|paid|sent|finished|sorted|fixed|bought|booked|signed|submitted|called|ordered|settled|closed|solved|merged|shipped|delivered)",
    'done[.!:]|^done|finished|paid back',
    'erledigt|fertig|bezahlt|abgeschickt|unterschrieben',
    'hecho|terminado|pagado|enviado|firmado',
  ),
  /(?:完成|做完|搞定|付了|寄了)/,
)
