import { stem } from './folding.ts'

/**
 * Words that reveal a sentence's purpose, one or more alternatives per line. They are matched in folded text (lower
 * case, without accents); the second list is for Chinese, which has no word boundaries.
 */
function cue(spaced: string, unspaced?: string): RegExp {
  const alternatives = spaced.trim().split(/\s*\n\s*/)
  return new RegExp(
    [String.raw`\b(?:${alternatives.join('|')})\b`, ...(unspaced ? [unspaced] : [])].join('|'),
  )
}

export const DECIDED = cue(
  String.raw`
  decided|decision is|made up (?:my|our) minds?|settled (?:on|for)|(?:it|that)(?: is|.s) settled|(?:we|both) agreed
  agreed (?:to|that|on|with|she|he|we|they)|the plan is|final (?:answer|decision|choice)|approved|signed off
  (?:we|i|they) (?:\w+ )?(?:chose|picked|opted|accepted|declined|rejected|hired|bought|sold|rented|ordered|quit|dropped)
  (?:i|we|they|i'll|we'll|i'm|we're)(?: \w+)? (?:go|going|went|sticking|stick|stuck) (?:with|for|to)
  ^(?:going|went|sticking|stick) (?:with|for|to)|^(?:dropped|scrapped|ditched|picked|chose|kept|accepted|rejected)
  (?:i'll|we'll|i will|we will) (?:take|go|stick|use|keep) (?:the|with|to|that|both|my|our|his|her)
  (?:i'm|we're|i am|we are) (?:taking|keeping|dropping|skipping|leaving|selling|buying) (?:it|that|this|the|my|our|them)
  (?:we're|we are|i'm|i am) not (?:doing|going|taking|buying|having|using)|it is then|booked|signed up|enrolled|hired
  off the table|called off|ruled out|no going back|after all|in the end|for good|gets? the (?:job|contract)
  root cause|turns? out (?:that|it)|cancel(?:l?ed|l?ing)?|(?:decide|vote|voted) (?:against|for)|turned \w+ down
  let'?s (?:go|take|do|use|say|keep|stick|book|make|fix|start|drop|skip|switch|try|put|move|meet|get|leave|call|buy)
  let'?s (?:order|plan|paint|hire|set|cut|ship|postpone|cancel|stay|have|add|run|not)|(?:we|i) (?:will not|won't)
  entschieden|beschlossen|abgemacht|vereinbart|gebucht|bestellt|zugesagt|abgesagt|steht fest|wir bleiben bei
  wir (?:nehmen|machen|lassen|behalten)|ich (?:nehme|behalte)|doch nicht|decidido|decidimos|acordado|acordamos
  (?:he|hemos|ha) (?:elegido|reservado|comprado|contratado|aceptado|cancelado)|quedamos en|nos quedamos con
  vamos con|al final|elegimos|contratamos|compramos`,
  '決定|决定|说好|就选|选了|选定|定了|定在|確定|确定要|订了|预订|不要了|卖掉|买了|就用|就这样|那就',
)
export const PROMISED = cue(
  String.raw`
  promis(?:e|ed|es)|remind (?:me|you|him|her|them)|reminder (?:for|to|on|at|in|about|that)|(?:not|n'?t) (?:to )?forget
  deadline|to[- ]?do|make sure (?:to|that|i|we)|(?:have|has|needs?|ought|offered|supposed) to|must|i should|gotta
  (?:told|said|swore).{1,30}(?:'ll|'d|will|would)|is due|due (?:on|by|date)|(?:want|wants) (?:\w+ ){0,3}by
  verspr(?:eche|ochen|icht)|erinner(?:e|n|st|t) (?:mich|dich|uns)|nicht vergessen|(?:muss|mussen|musst|sollten?)
  bis (?:zum|zur|ende|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)|promet(?:i|o|io|ido)|recuerdame
  no olvid(?:es|ar)|(?:tengo|tenemos|tiene|hay) que|debo|debemos`,
  '记得|記得|答应|答應|提醒|必须|必須|别忘|別忘|要在|保证',
)
/** A model's promise; what it says others must do is advice. */
export const OWN_PROMISE = cue(
  `i'll|i will|(?:i'm|i am) going to|(?:i've|i have) set|let me|remind you|reminder|erinnere ich
  ich (?:werde|erinnere|melde|schicke|frage|kummere)|(?:te|le) (?:recordare|avisare)|voy a`,
  '我会|我會|我来|我來|提醒你',
)
/** A need or a refusal. */
export const NEEDS = cue(
  String.raw`
  allerg(?:ic|y|ies)|intoleran(?:t|ce)|prefer(?:s|red)?|(?:hate|dislike)s?|(?:can'?t|cannot) (?:stand|eat|drink|use)
  (?:don'?t|doesn'?t|do not|does not) (?:ever )?(?:eat|drink|like|want|suggest|use|call|write|send|enjoy|need)
  please (?:no|never|don.?t|always|only|keep|use|call|write)|favou?rite|(?:'d|would) rather|(?:neither|none) of us
  (?:never|always) (?:use|suggest|send|book|call|write|ask|put|run|buy|order|give|let|take|touch|merge|deploy|mention)
  vegetarian|vegan|pescatarian|kosher|halal|gluten|lactose|seasick|claustrophobic|(?:afraid|scared) of|phobia
  mag kein(?:e|en)?|lieber|am liebsten|hasse|vertrag(?:e|t) kein(?:e|en)?|allergisch|vegetari(?:sch|er|erin)|veganer
  prefiero|prefiere|odio|no me gusta|alergic[oa]|vegetarian[oa]|vegan[oa]|favorit[oa]|no (?:como|bebo|come|bebe)`,
  '讨厌|討厭|过敏|過敏|不吃|不喝|不喜欢|最爱|偏好|宁愿',
)
/** A preference or a habit; people state those about everything. */
export const LIKES = cue(
  String.raw`(?:i|we|he|she|they|who) (?:really )?(?:love|adore|like|enjoy)s?|i'd like|keep in mind|i only|used to
  big fan|into|makes? me \w+|ich mag|mag (?:ich|er|sie)|liebe|me gusta|me encanta`,
  '喜欢|喜歡',
)
const KIN =
  'wife|husband|girlfriend|boyfriend|partner|fiancee?|sister|brother|mum|mom|mother|dad|father|son|daughter|kids?|child|children|niece|nephew|aunt|uncle|cousin|grandma|grandpa|friend|flatmate|boss|manager|colleague|doctor|dentist|teacher|coach|landlord|landlady|neighbou?r|lawyer|accountant|vet|cat|dog|baby|team'
const KIN_STEMS = new Set(KIN.replaceAll(/.\?/g, '').split('|').map(stem))

/** Whether a stem is a relationship (`sister`) rather than a name or a thing. */
export function isKin(one: string): boolean {
  return KIN_STEMS.has(one)
}

/** A person or thing of the speaker's own. */
export const OWN = cue(
  String.raw`
  (?:my|our|his|her|their|whose|the|an?|old) (?:\w+ )?(?:${KIN})|my (?:\w+ ){1,3}(?:is|are|was|has|ends|lives|works)
  (?:i'?m|i am) (?:an?|from|at|in|on|based)|called|named|(?:i|we|he|she|they) (?:live|work|run|owe|own|stud)(?:s|y|ies)?
  i want(?:ed)? to|birthday|born|anniversary|married|engaged|pregnant|diagnosed|(?:mein|unser)\w* \w+|heiss(?:t|en?)
  wohnt|wohne|arbeite(?:t|n)?|geburtstag|ziehe|(?:mi|mis|nuestro|nuestra) \w+|se llama|me llamo|viv[eo]|trabaj[ao]
  password|passcode|pin|code|account|address|phone|passport|important|remember|wichtig|adresse|telefono?`,
  '我叫|名叫|叫做|我的|我们的|住在|生日|太太|先生|妈妈|爸爸|姐姐|妹妹|哥哥|弟弟|女儿|儿子|老师|医生|重要|地址|电话|密码',
)
/** Describes a state, not a single event. */
export const STATED = cue(
  `is|are|it's|has|costs?|starts?|begins?|ends?|leaves|arrives|opens|closes|needs?|wants?|lives|works|means|uses?
  says|ist|sind|hat|kostet|beginnt|es|son|esta|tiene|cuesta|empieza`,
)
/** A known value that has changed. */
export const CHANGED = cue(
  String.raw`
  moved?|changed?s?|rescheduled|postponed|delayed|extended|shifted|slips?|slipped|(?:pulled|brought) forward|put off
  pushed (?:back|to)|(?:is|are) now|now (?:is|at|on)|now$|instead|no longer|any ?more|correction|actually|update
  new (?:\w+ ){0,2}(?:date|time|number|address|price|deadline|plan|budget)|raised?|lowered|increased?|reduced|bumped|cut
  (?:goes|went|going) (?:up|down) to|from (?:\S+ ){1,3}to|make (?:that|it)|switched|switching|cancell?ed
  verschoben|geandert|verzogert|verlangert|statt|verlegt|erst am|neuer termin|doch (?:am|um|nicht)
  cambiad?[oa]|(?:se )?retras[ao]|adelant[ao]|aplazado|pospuesto|ahora es|en vez de|en lugar de|movido|pasa a`,
  '改到|改成|推迟|推遲|提前|改为|取消',
)
/** Something that nobody knows yet. */
export const OPEN = cue(
  String.raw`
  (?:not|n't) (?:yet |been )?(?:sure|decided|clear|certain|settled|told|confirmed)|undecided|unclear|unsure|tbd|unknown
  dunno|idk|no (?:idea|clue|answer|decision)|beats me|who knows|hard to (?:say|tell)|up in the air|on the fence
  (?:not|n'?t) (?:\w+ )?(?:know|decided?|ask(?:ed)?|check(?:ed)?|find|found|reach|hear|heard|settled?|figured?|said)
  open (?:question|point|issue)|(?:still|stays?|leave it|remains?|left) (?:wide )?open|still (?:thinking|waiting|nobody)
  (?:got to|gotta|have to|need to|must|should) (?:decide|ask|find out|figure out|clarify|talk to)|wonder(?:ing)?
  to be (?:decided|confirmed|determined|discussed)|nobody (?:knows?|can|yet|is)|no one (?:knows?|can|yet|is)|torn
  back and forth|(?:is|are) split|keine ahnung|noch offen|unklar|noch nicht (?:klar|entschieden|sicher)|nicht sicher
  weiss (?:es |ich |noch )?nicht|(?:mussen|muss) (?:wir |ich )?(?:noch )?(?:klaren|fragen)|no (?:lo )?(?:se|sabemos)
  todavia no|aun no|pendiente|no (?:estoy|estamos) segur[oa]s?|ni idea|por (?:decidir|confirmar)|falta (?:saber|decidir)`,
  '不知道|不清楚|不确定|不確定|还没|還沒|没想好|没决定|没定|待定|再说|未定',
)
/** A non-answer. */
export const DEFERRED = cue(
  String.raw`
  depends|opinions differ|i'd have to|(?:i|we)(?:'ll| will) (?:check|look|find out|ask|see|think|get back|discuss|decide)
  ^will (?:check|look|ask|see|think)|let(?:'s| me) (?:check|wait|think|see|look|ask|sleep on)|please ask|ask (?:your|the)
  sometime|not now|later|think (?:about )?it(?: over)?|another time|sleep on it|come back to (?:it|this|that)|for now
  (?:need|have|got|want) to (?:talk|speak)|kommt darauf an|spater|mal (?:sehen|schauen)|ich frage|depende|luego
  mas tarde|ya veremos|a ver|lo pienso|que (?:mirar|preguntar(?:lo)?)`,
  '再看|再想|以后|之后|看情况|要看|问一下|问问|查一下',
)
export const DONE = cue(
  String.raw`
  (?:is|are|it's|all|that's|i've|we've|have|has|got) (?:\w+ )?(?:done|paid|sent|sorted|fixed|bought|booked|signed)
  (?:is|are|it's|i've|we've|have|has) (?:\w+ )?(?:submitted|called|ordered|settled|closed|solved|merged|shipped|delivered)
  ^done|finished|paid back|erledigt|fertig|bezahlt|abgeschickt|unterschrieben|hecho|terminado|pagado|enviado|firmado`,
  '完成|做完|搞定|付了|寄了',
)
