import { either, words } from './cue-words.ts'
import { stem } from './folding.ts'

/** Words that tell what a sentence is for. All of them are looked for in folded text: lower case, without accents. */

export const DECIDED = either(
  words(
    'decided|decision is|made up (?:my|our) minds?|settled (?:on|for)|(?:it|that)(?: is|.s) settled',
    'agreed (?:to|that|on|with|she|he|we|they)|(?:we|we all|both) agreed',
    '(?:we|i|they) (?:finally |both |just )?(?:chose|picked|opted|concluded|accepted|declined|rejected|hired|bought|sold|rented|ordered|quit|resigned|scrapped|ditched|dropped)',
    "(?:i|we|they|i'll|we'll|i'm|we're)(?: \\w+)? (?:go|going|went|sticking|stick|stuck) (?:with|for|to)",
    '^(?:going|went|sticking|stick) (?:with|for|to)|^(?:dropped|scrapped|ditched|picked|chose|kept|accepted|rejected)',
    "(?:i'll|we'll|i will|we will) (?:take|go|stick|use|keep) (?:the|with|to|that|both|my|our|his|her)",
    "(?:i'm|we're|i am|we are) (?:taking|keeping|dropping|skipping|leaving|selling|buying|quitting) (?:it|that|this|the|my|our|him|her|them)",
    "(?:we're|we are|i'm|i am) not (?:doing|going|taking|buying|having|using)",
    'gets? the (?:job|contract|gig|order)|won the (?:bid|contract)',
    'off the table|called off|ruled out|out they go|no going back|after all|in the end|for good',
    'the plan is|final (?:answer|decision|choice)|approved|signed off|turned (?:it|them|that|him|her) down',
    '(?:decide|decided|vote|voted) (?:against|for)',
    'root cause|turns? out (?:that|it)',
    'cancel(?:l?ed|l?ing)?(?: the| my| our)?',
    'it is then|booked|signed up|enrolled|hired',
    'entschieden|beschlossen|abgemacht|vereinbart|gebucht|bestellt|zugesagt|abgesagt|steht fest|wir bleiben bei',
    'wir (?:nehmen|machen|lassen|behalten)|ich (?:nehme|behalte)|doch nicht',
    '(?:he|hemos|ha) (?:decidido|elegido|reservado|comprado|contratado|aceptado|cancelado)|decidido|decidimos|acordado|acordamos',
    'quedamos en|nos quedamos con|vamos con|al final|elegimos|contratamos|compramos',
  ),
  /(?:決定|决定|说好|就选|选了|选定|定了|定在|確定|确定要|订了|预订|不要了|卖掉|买了|就用)/,
)
/** Sounds like a decision, and often is only a manner of speaking. */
export const LEANING = either(
  words(
    "let'?s (?:go|take|do|use|say|keep|stick|book|make|fix|start|drop|skip|switch|try|put|move|meet|get|leave|call|buy|order|plan|paint|hire|set|cut|ship|postpone|cancel|stay|have|add|run|not)",
    "(?:we|i)(?:'re not going to|'m not going to| will not| won't)",
  ),
  /(?:就这样|那就)/,
)
/** "9 to 19 May it is", "train then". */
export const SETTLED = /\b(?:it is|then)[.!]*$|\bthen, (?:definitely|please)\b/

export const PROMISED = either(
  words(
    'promis(?:e|ed|es)',
    'remind (?:me|you|him|her|them)',
    '(?:a|the|set|my) reminder (?:for|to|on|at|in|about|that)',
    "(?:don'?t|do not|not to) forget",
    'deadline',
    'to[- ]?do',
    'make sure (?:to|that|i|we)',
    '(?:i|we|he|she|they) (?:still )?(?:have to|need to|must|has to|needs to|ought to|should)',
    "(?:i|we)(?:'ve got to| gotta)",
    'has to|needs to',
    'offered to',
    'supposed to',
    "(?:told|said|swore).{1,30}(?:'ll|'d|will|would)",
    '(?:must|needs?|want|wants) (?:\\w+ ){0,3}by',
    'is due',
    'due (?:on|by|date)',
    'verspr(?:eche|ochen|icht)',
    'erinner(?:e|n|st|t) (?:mich|dich|uns)',
    'nicht vergessen',
    '(?:ich|wir|er|sie|du) (?:muss|mussen|musst|sollte|sollten)',
    'bis (?:zum|zur|ende|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)',
    'prometi',
    'prometo',
    'promet(?:io|ido)',
    'recuerdame',
    'no olvid(?:es|ar)',
    '(?:tengo|tenemos|tiene|hay) que',
    'debo|debemos',
  ),
  /(?:记得|記得|答应|答應|提醒|必须|必須|别忘|別忘|要在|保证)/,
)
/** Somebody will do something; it counts for less, because most of it is done at once or is a manner of speaking. */
export const WILL = either(
  words(
    "(?:i|we|he|she|they|it)(?:'ll| will)",
    'will',
    "(?:i'm|we're|i am|we are|he's|she's|is|are) going to",
    'gonna',
    'ich werde',
    'wir werden',
    'ich kummere mich',
    'voy a',
    'vamos a',
  ),
  /(?:我会|我會|我们会|打算|准备)/,
)
/** A model's own; what it says that others have to do is advice. */
export const OWN_PROMISE = either(
  words(
    "(?:i'll|i will|i'm going to|i am going to|i've set|i have set|let me|remind you|reminder)",
    'ich (?:werde|erinnere|melde|schicke|frage|kummere)|erinnere ich',
    '(?:te|le) (?:recordare|avisare|avisaré)|voy a',
  ),
  /(?:我会|我會|我来|我來|提醒你)/,
)
/** What somebody needs or refuses. */
export const NEEDS = either(
  words(
    'allerg(?:ic|y|ies)',
    'intoleran(?:t|ce)',
    'prefer(?:s|red)?',
    '(?:i|we|he|she|they|who) (?:really )?(?:hate|hates|dislike|dislikes)',
    "(?:can'?t|cannot) (?:stand|eat|drink|have|do|use|work)",
    "(?:don'?t|doesn'?t|do not|does not) (?:ever )?(?:eat|drink|like|want|suggest|use|call|write|send|mention|enjoy|need)",
    '(?:neither|none) of us',
    'please (?:no|never|don.?t|always|only|keep|use|call|write)',
    '(?:never|always) (?:use|suggest|send|book|call|write|ask|put|run|buy|order|give|let|take|start|touch|merge|deploy|mention)',
    'favou?rite',
    "(?:i'd|i would|we'd|would) rather",
    'vegetarian|vegan|pescatarian|kosher|halal|gluten|lactose',
    'seasick|carsick|claustrophobic|afraid of|scared of|phobia',
    'mag kein(?:e|en)?|lieber|am liebsten|hasse|vertrag(?:e|t) kein(?:e|en)?',
    'allergisch|vegetarisch|vegetarier(?:in)?|veganer(?:in)?',
    'prefiero|prefiere|odio|no me gusta|alergic[oa]|vegetarian[oa]|vegan[oa]|favorit[oa]|no (?:como|bebo|come|bebe)',
  ),
  /(?:讨厌|討厭|过敏|過敏|不吃|不喝|不喜欢|最爱|偏好|宁愿)/,
)
/** What somebody likes or is used to; people say so of everything. */
export const LIKES = either(
  words(
    '(?:i|we|he|she|they|who) (?:really )?(?:love|loves|adore|adores|like|likes|enjoy|enjoys)',
    "i'd like|keep in mind|i only|used to|big fan|into",
    'makes? me \\w+',
    'ich mag|mag (?:ich|er|sie)|liebe',
    'me gusta|me encanta',
  ),
  /(?:喜欢|喜歡)/,
)

const KIN =
  'wife|husband|girlfriend|boyfriend|partner|fiancee?|sister|brother|mum|mom|mother|dad|father|son|daughter|kids?|child|children|niece|nephew|aunt|uncle|cousin|grandma|grandmother|grandpa|grandfather|friend|flatmate|roommate|boss|manager|colleague|doctor|dentist|teacher|trainer|coach|landlord|landlady|neighbour|neighbor|lawyer|advisor|accountant|vet|cat|dog|baby|team'

const KIN_STEMS = new Set(KIN.split('|').map((word) => stem(word.replace(/.\?$/, ''))))

/** Whether a stem says whose somebody is, and not who or what. */
export function isKin(one: string): boolean {
  return KIN_STEMS.has(one)
}

/** Somebody or something of the speaker's own. */
export const OWN = either(
  words(
    `(?:my|our|his|her|their|whose|the|an?|old) (?:\\w+ )?(?:${KIN})(?:'s)?`,
    "my (?:\\w+ ){1,3}(?:is|are|was|has|'s|ends|lives|works|number)",
    "i'?m (?:an?|from|at|in|on|called|allergic|based)",
    'i am (?:an?|from|at|in|on|called|allergic|based)',
    'called|named',
    '(?:i|we|he|she|they) (?:live|lives|work|works|run|runs|owe|owes|own|owns|study|studies)',
    'i want to|i wanted to',
    'birthday|born|anniversary|married|engaged|pregnant|diagnosed',
    '(?:mein|meine|meinem|meinen|meiner|unser|unsere|unserem) \\w+',
    'heisst|heissen|heisse|wohnt|wohne|arbeitet|arbeite|geburtstag|ziehe',
    '(?:mi|mis|nuestro|nuestra) \\w+',
    'se llama|me llamo|vive|vivo|trabaja|trabajo|cumpleanos',
  ),
  /(?:我叫|名叫|叫做|我的|我们的|住在|生日|太太|先生|妈妈|爸爸|姐姐|妹妹|哥哥|弟弟|女儿|儿子|老师|医生)/,
)

/** Tells how things are, and not what happened once. */
export const STATED = words(
  "is|are|it's|has|costs?|starts?|begins?|ends?|leaves|arrives|opens|closes|needs?|wants?|lives|works|means|uses?|says|ist|sind|hat|kostet|beginnt|es|son|esta|tiene|cuesta|empieza",
)

export const IMPORTANT = either(
  words(
    'important',
    'remember',
    'note (?:that|for|to|this)',
    'noted?:',
    'for the record',
    'in case i',
    'fyi',
    'heads[- ]up',
    'password|passcode|pin|code|account|address|phone|passport|serial|reference|confirmation|tracking',
    'wichtig|merk dir|adresse|telefon|nummer|kennwort',
    'importante|recuerda|direccion|telefono|contrasena|numero',
  ),
  /(?:重要|地址|电话|密码|号码)/,
)

/** A value that was told before is another one now. */
export const CHANGED = either(
  words(
    'moved?',
    'changed?s?',
    'rescheduled|postponed|delayed|extended|shifted|slips?|slipped|pulled forward|brought forward|put off|earlier than|later than',
    'pushed (?:back|to)',
    'is now|are now|now (?:is|at|on)|now$',
    'instead(?: of)?',
    'no longer',
    'any ?more',
    'correction',
    'actually',
    'update',
    'new (?:\\w+ ){0,2}(?:date|time|number|address|price|deadline|plan|budget)',
    'raised?|lowered|increased?|reduced|bumped|cut',
    '(?:goes|went|going) (?:up|down) to',
    'from (?:\\S+ ){1,3}to',
    'make (?:that|it)',
    'switched|switching',
    'not (?:the )?\\S+$',
    'cancelled|canceled',
    'verschoben|geandert|verzogert|verlangert|statt|verlegt|erst am|neuer termin|doch (?:am|um|nicht)',
    'cambiado|cambia|retras[ao]|se retrasa|adelant[ao]|cambio|aplazado|pospuesto|ahora es|en vez de|en lugar de|movido|pasa a',
  ),
  /(?:改到|改成|推迟|推遲|提前|改为|取消)/,
)
