import {
  agentSlot,
  asideSlot,
  type Clause,
  type Filled,
  goalSlot,
  markSlot,
  messageSlot,
  nameSlot,
} from './slots.ts'

/** Phrases and how much each says for an intent. */
export type Weights = Readonly<Record<string, number>>

interface Scored {
  readonly words: Weights
  /** From this sum on it is understood. */
  readonly needs: number
  /** What a word of no meaning here takes away; the more harm a misreading does, the more. */
  readonly strange: number
}

/** Something to do through the `slash` tool. To add one, write one of these, and its sentences into the test. */
export interface Command extends Scored {
  readonly command: 'mark' | 'clear' | 'fork' | 'send' | 'check-mail' | 'kill'
  /** A request begins with one of these, politeness apart. */
  readonly opens: Weights | 'anything'
  /** Undefined: what it cannot be without is not there. */
  readonly fill?: (clause: Clause) => Filled | undefined
  /** Takes all that follows, so `and` does not begin another request. */
  readonly isOpen?: true
  readonly topics: readonly string[]
  readonly example: string
  readonly about: string
}

/** Something to say. */
export interface Talk extends Scored {
  readonly answer: string
}

const things = {
  agent: 1.5,
  child: 2,
  subagent: 2.5,
  helper: 2,
  worker: 2,
  someone: 2,
  assistant: 1.5,
  copy: 1.5,
  clone: 1.5,
}

const mark: Command = {
  command: 'mark',
  needs: 2.5,
  strange: 1,
  opens: {
    ...{
      mark: 2,
      checkpoint: 2.5,
      bookmark: 2.5,
      savepoint: 2.5,
      snapshot: 2.5,
      remember: 1.5,
      save: 1.5,
      store: 1.5,
    },
    ...{
      label: 1.5,
      tag: 1.5,
      pin: 1.5,
      flag: 1.5,
      set: 1,
      create: 1,
      make: 1,
      put: 1,
      place: 1,
      drop: 1,
      leave: 1,
    },
    ...{ add: 1, take: 1, keep: 1, name: 1, call: 1, record: 1 },
  },
  words: {
    ...{
      checkpoint: 2,
      mark: 2,
      marker: 2,
      bookmark: 2,
      savepoint: 2,
      snapshot: 2,
      flag: 1.5,
      spot: 1.5,
      point: 1.5,
    },
    ...{
      place: 1.5,
      position: 1.5,
      moment: 1.5,
      state: 1.5,
      here: 1,
      this: 0.5,
      now: 0.5,
      conversation: 1,
      context: 1,
    },
    ...{ 'where we are': 2, call: 0, name: 0, title: 0, label: 0 },
  },
  fill: nameSlot,
  topics: ['mark', 'marks', 'marking', 'checkpoint', 'checkpoints'],
  example: 'mark this as BEFORE_REFACTOR',
  about: 'A mark is a named place in the conversation, to which "go back to NAME" returns (`/mark NAME`).',
}

const rewind: Command = {
  command: 'clear',
  needs: 3,
  strange: 1,
  opens: {
    ...{
      rewind: 3,
      revert: 3,
      'roll back': 3,
      rollback: 3,
      restore: 2,
      return: 2,
      back: 2,
      'go back': 2,
      'get back': 2,
    },
    ...{
      'take me back': 2,
      'take us back': 2,
      'bring me back': 2,
      'bring us back': 2,
      'jump back': 2,
      'move back': 2,
    },
    ...{
      'step back': 2,
      'switch back': 2,
      'back up': 2,
      'undo everything': 2,
      undo: 1.5,
      reset: 2,
      jump: 1,
      go: 1,
    },
    ...{ 'clear everything': 2, 'forget everything': 2, 'drop everything': 2, clear: 1.5 },
  },
  words: {
    mark: 1,
    checkpoint: 1.5,
    point: 1,
    spot: 1,
    state: 1,
    last: 0.5,
    previous: 0.5,
    latest: 0.5,
    newest: 0.5,
    where: 0,
    set: 0,
    was: 0,
  },
  fill: markSlot,
  topics: ['rewind', 'rewinding'],
  example: 'go back to BEFORE_REFACTOR',
  about:
    'Rewinding takes what came after a mark out of the context; the log keeps it, and `/undo` brings it back.',
}

const clear: Command = {
  command: 'clear',
  needs: 3,
  strange: 2,
  opens: {
    ...{
      clear: 3,
      reset: 3,
      wipe: 2,
      erase: 2,
      forget: 1.5,
      empty: 1.5,
      delete: 1.5,
      flush: 2,
      purge: 2,
      scrap: 2,
      dump: 1.5,
    },
    ...{
      drop: 1.5,
      discard: 2,
      restart: 2,
      'start over': 3,
      'start again': 3,
      'start afresh': 3,
      'start fresh': 3,
      'start anew': 3,
    },
    ...{
      'begin again': 3,
      'begin anew': 3,
      'begin afresh': 3,
      'start from scratch': 3,
      'start from zero': 3,
    },
    ...{
      'fresh start': 3,
      'clean slate': 3,
      'blank slate': 3,
      'new conversation': 3,
      'new session': 3,
      'new chat': 3,
    },
    ...{
      'start a new conversation': 3,
      'start a new chat': 3,
      'start a new session': 3,
      'start a fresh conversation': 3,
    },
  },
  words: {
    ...{
      everything: 1.5,
      all: 1.5,
      context: 1.5,
      conversation: 1.5,
      history: 1.5,
      memory: 1.5,
      chat: 1.5,
      session: 1.5,
    },
    ...{
      slate: 1.5,
      whole: 0,
      entire: 0,
      clean: 0.5,
      fresh: 0.5,
      scratch: 1,
      completely: 0,
      said: 0,
      talked: 0,
      about: 0,
      blank: 0,
    },
  },
  topics: ['clear', 'clearing'],
  example: 'forget everything',
  about:
    'Clearing empties the context, so the next message starts afresh; the log keeps it all, and `/undo` brings it back.',
}

const fork: Command = {
  command: 'fork',
  needs: 3,
  strange: 1,
  isOpen: true,
  opens: {
    ...{
      fork: 3,
      spawn: 2,
      delegate: 3,
      outsource: 3,
      'fork off': 3,
      'branch off': 3,
      'split off': 3,
      branch: 2,
      clone: 2,
    },
    ...{
      start: 1,
      launch: 1.5,
      create: 1,
      make: 1,
      have: 1,
      get: 1,
      let: 1,
      ask: 1,
      put: 1,
      assign: 1.5,
      hand: 1,
      use: 1,
    },
    ...{ 'kick off': 1.5, tell: 1, find: 1, give: 1, 'set up': 1 },
    ...things,
  },
  words: {
    ...things,
    yourself: 0.5,
    conversation: 0,
    context: 0,
    separate: 0.5,
    new: 0,
    another: 0,
    task: 0.5,
    job: 0.5,
    else: 0,
  },
  fill: goalSlot,
  topics: ['fork', 'forks', 'forking', 'child', 'subagent', 'delegate', 'delegating'],
  example: 'fork this and compare the two drafts',
  about:
    'A fork starts a child that works on a goal by itself and reports by mail; you stay where you are (`/fork -- GOAL`).',
}

const aside: Command = {
  ...fork,
  opens: 'anything',
  fill: asideSlot,
  words: { 'in the background': 3, meanwhile: 3, 'in the meantime': 3, 'in parallel': 3, 'on the side': 3, 'at the same time': 3 },
  topics: [],
}

const send: Command = {
  command: 'send',
  needs: 3,
  strange: 1,
  isOpen: true,
  opens: {
    ...{ tell: 1.5, message: 1.5, send: 1.5, inform: 1.5, notify: 1.5, ask: 1.5, write: 1.5, let: 1.5, mail: 1.5, text: 1.5 },
    ...{ forward: 1.5, reply: 1.5, answer: 1.5, remind: 1.5, warn: 1.5, update: 1.5, say: 1.5, 'pass on': 1.5, ping: 1.5 },
  },
  words: {},
  fill: messageSlot,
  topics: ['send', 'sending'],
  example: 'tell k3f9ab that the deadline moved',
  about: 'Sending leaves a message in the mailbox of another agent and wakes it if it is an idle child (`/send ID MESSAGE`).',
}

const checkMail: Command = {
  command: 'check-mail',
  needs: 2.5,
  strange: 1,
  opens: 'anything',
  words: {
    ...{ mail: 2.5, inbox: 2.5, mailbox: 2.5, messages: 2, letters: 2, post: 1, message: 1, reply: 1.5, replies: 1.5, news: 1 },
    ...{ check: 1, read: 1, show: 1, open: 0.5, fetch: 1, get: 0.5, look: 0.5, any: 1, anything: 0.5, anyone: 0.5, someone: 0.5 },
    ...{ new: 0.5, unread: 1, got: 0.5, have: 0, came: 0.5, come: 0.5, arrived: 0.5, arrive: 0.5, yet: 0, child: 0.5, agent: 0.5 },
    ...{ 'write to me': 2.5, 'wrote to me': 2.5, 'written to me': 2.5, 'hear from': 1.5, 'heard from': 1.5, report: 1, 'report back': 2 },
    ...{ 'reported back': 2, 'are there': 0.5, 'is there': 0.5, 'do i have': 0.5, 'have i got': 0.5, 'what is in': 1.5, answered: 0.5 },
  },
  topics: ['mail', 'mailbox', 'inbox'],
  example: 'any mail?',
  about: 'Agents write to each other by mail: `/send ID MESSAGE` writes, `/check-mail` reads what is unread.',
}

const kill: Command = {
  command: 'kill',
  needs: 3,
  strange: 2,
  opens: {
    ...{ kill: 2, stop: 1.5, end: 1.5, terminate: 2, abort: 1.5, cancel: 1.5, halt: 1.5, dismiss: 1.5, quit: 1.5, close: 1.5 },
    ...{ 'shut down': 2, shutdown: 2, 'get rid of': 2, 'call off': 2, 'pull the plug on': 2, finish: 1.5, remove: 1.5 },
  },
  words: { ...things, 'right away': 0, immediately: 0, down: 0, id: 0, work: 0, running: 0 },
  fill: agentSlot,
  topics: ['kill', 'killing'],
  example: 'stop k3f9ab',
  about: 'Killing ends an agent and all agents below it at once (`/kill ID`).',
}

export const commands: readonly Command[] = [mark, rewind, clear, fork, aside, send, checkMail, kill]

const talk = (words: Weights, needs: number, answer: string): Talk => ({ words, needs, strange: 1, answer })

const greeting = talk(
  {
    ...{ hi: 3, hello: 3, hey: 2.5, hiya: 3, howdy: 3, greetings: 3, yo: 3, welcome: 2, morning: 2.5, 'good morning': 3 },
    ...{ 'good afternoon': 3, 'good evening': 3, 'good day': 3, evening: 2, 'nice to meet you': 3, 'anyone there': 3, 'you there': 2.5 },
    ...{ hallo: 3, moin: 3, servus: 3, 'guten morgen': 3, 'guten tag': 3, 'guten abend': 3, hola: 3, 'buenos dias': 3, bonjour: 3 },
    ...{ mainstem: 0.5, everyone: 0, friend: 0, world: 0 },
  },
  2,
  'Hello! I am the offline model and follow fixed rules; say "help" to see what I can do.',
)
const thanks = talk(
  {
    ...{ thanks: 3, 'thank you': 3, thank: 2, appreciate: 3, appreciated: 3, cheers: 3, 'well done': 2.5, 'good job': 2.5 },
    ...{ 'nice work': 2.5, 'great work': 2.5, danke: 3, gracias: 3, merci: 3, great: 1.5, perfect: 2, nice: 1.5, awesome: 2, much: 0 },
    ...{ lot: 0, very: 0, many: 0, help: 0, helpful: 1, really: 0, kind: 0, schon: 0, muchas: 0, million: 0 },
  },
  2,
  'You are welcome.',
)
const farewell = talk(
  {
    ...{ bye: 3, goodbye: 3, cya: 3, 'see you': 3, 'see ya': 3, farewell: 3, 'good night': 3, 'take care': 3, 'talk to you later': 3 },
    ...{ 'that is all': 2.5, 'i have to go': 2.5, 'i must go': 2.5, 'i am off': 2.5, 'signing off': 3, 'talk later': 2.5, ciao: 3 },
    ...{ tschuss: 3, adios: 3, 'auf wiedersehen': 3, 'hasta luego': 3, later: 0, soon: 0, tomorrow: 0, today: 0, tonight: 0, now: 0, next: 0, week: 0 },
  },
  2,
  'Goodbye! Everything is kept in the log.',
)
const feeling = talk(
  {
    ...{ 'how are you': 3, 'how is it going': 3, 'how do you do': 3, 'how have you been': 3, 'what is up': 3, 'how are things': 3 },
    ...{ 'how do you feel': 3, 'how is your day': 3, 'are you ok': 3, 'are you well': 3, 'are you fine': 3, 'are you happy': 3, sup: 3 },
    ...{ 'are you doing': 1.5, well: 1, ok: 0.5, fine: 1, going: 0, doing: 0, today: 0, feeling: 1.5, gehts: 2, wie: 1, 'que tal': 3 },
  },
  2.5,
  'I work as I should. I am a set of rules, so I have no moods to report.',
)
const identity = talk(
  {
    ...{ 'who are you': 3, 'what are you': 3, 'who is this': 2.5, 'your name': 2.5, 'are you': 1, human: 1.5, bot: 1.5, robot: 1.5, ai: 1.5 },
    ...{ chatgpt: 1.5, gpt: 1.5, claude: 1.5, gemini: 1.5, llm: 1.5, machine: 1.5, person: 1, real: 1, model: 1, 'language model': 1.5 },
    ...{ 'which model': 2.5, 'what model': 2.5, 'am i talking to': 2, 'am i speaking to': 2, 'talking to': 1, 'introduce yourself': 3 },
    ...{ 'about yourself': 2.5, 'who made you': 3, 'who built you': 3, intelligent: 1.5, alive: 1.5, conscious: 1.5, 'tell me': 0, running: 0, what: 0, who: 0 },
  },
  2,
  "I am Mainstem's built-in offline model: a set of rules, not a language model. I recognise some requests and act on them, but I know nothing and cannot think. `/model` connects a real one.",
)
const help = talk(
  {
    ...{ help: 3, 'what can you do': 3, 'what can i do': 3, 'what can i say': 3, 'what can i ask': 3, 'what can i type': 3, commands: 2, options: 2 },
    ...{ 'how do i use': 3, 'how do i start': 3, 'how does this work': 3, 'how do you work': 3, 'how can i use': 3, 'what do you do': 3 },
    ...{ 'what do you understand': 3, 'what do you know': 3, understand: 2, 'what are you able': 3, 'are you able': 1.5, 'i am lost': 2.5, 'i am stuck': 2.5 },
    ...{ capabilities: 3, features: 2.5, abilities: 3, manual: 2, instructions: 2, 'get started': 2.5, what: 0, things: 0, which: 0, how: 0, work: 0, use: 0.5, know: 0, able: 0.5, list: 0.5, available: 0.5, need: 0, show: 0 },
  },
  2,
  [
    'I am a set of rules, and this is what I can do in plain words:',
    ...commands.filter(({ topics }) => topics.length > 0).map(({ example }) => `- ${example}`),
    'Several at once work too: "mark this as A, then fork and test the other way". I cannot answer questions of knowledge or write texts; `/model` connects a real model, `/help` lists all commands.',
  ].join('\n'),
)
const connect = talk(
  {
    ...{ connect: 1.5, switch: 1.5, change: 1.5, choose: 1.5, configure: 1.5, use: 1, add: 1, set: 1, 'set up': 1.5, select: 1.5, how: 0, to: 0 },
    ...{ model: 1.5, models: 1.5, 'real model': 2, 'language model': 2, llm: 2, claude: 1.5, gpt: 1.5, gemini: 1.5, ollama: 1.5, openai: 1.5, anthropic: 1.5, real: 0, another: 0, different: 0, other: 0 },
  },
  2.5,
  'I cannot change the model myself: type `/model` to see the models and `/model NAME` to connect one.',
)
const assent = talk(
  {
    ...{ ok: 2, yes: 2, no: 2, yep: 2, nope: 2, yeah: 2, sure: 2, fine: 1.5, alright: 2, right: 1.5, good: 1, cool: 1.5, 'never mind': 3, nevermind: 3 },
    ...{ 'forget it': 3, 'forget about it': 3, 'i see': 2, 'got it': 2, understood: 2, nothing: 1.5, then: 0, all: 0, wait: 1.5, sorry: 2, hm: 2, hmm: 2, done: 1.5 },
  },
  1.5,
  'All right. I did nothing.',
)

export const talks: readonly Talk[] = [greeting, thanks, farewell, feeling, identity, help, connect, assent]

/** Asks about a command rather than for it; what it is about is one of the commands' topics. */
export const question: Scored = {
  needs: 3.5,
  strange: 1,
  words: {
    ...{ 'what is': 2, 'what are': 2, 'what does': 2, 'what do': 2, 'what happens': 2, how: 2, why: 2, explain: 2, describe: 2 },
    ...{ 'tell me about': 2, 'tell me what': 2, 'tell me how': 2, meaning: 2, mean: 1, difference: 2, 'should i': 2, 'can i': 2, 'do you know': 1, when: 1.5 },
    ...{ command: 0.5, commands: 0, work: 0.5, works: 0.5, use: 0.5, used: 0, exactly: 0, between: 0, good: 0, happens: 0, if: 0, set: 0, new: 0 },
    ...Object.fromEntries(commands.flatMap(({ topics }) => topics.map((topic) => [topic, 1.5]))),
  },
}

/** May stand before a request without changing it. */
export const politeness: ReadonlySet<string> = new Set(
  [
    'please,ok,now,then,and,so,well,hey,hi,hello,mainstem,just,also,first,next,finally,quickly,maybe,actually,yes,but,alright,great',
    'can you,could you,would you,will you,can we,could we,shall we,let us,let me,can,could,would,will,may i ask you to,kindly',
    'i want you to,i want to,i would like to,i would like you to,i need to,i need you to,we need to,we have to,we should,you should',
    'i want,i would like,i need,we need,give me,you can,you could,you may,go ahead and,it is time to,time to,how about,how about we',
    'why do not you,why do not we,feel free to,i think we should,i think you should,do me a favour and,be so kind and,try to,a,an,the,new,another',
  ].flatMap((line) => line.split(',')),
)

/** Says nothing for or against any intent. */
export const stopWords: ReadonlySet<string> = new Set(
  (
    'a an the this that these those it its me my mine we us our you your i am is are be been was were do does did to of in on at for from with by and or as so ' +
    'please now then here there up off out just again also some one has have had will would can could should may want need like any more back away thing stuff id everybody'
  ).split(' '),
)

export const vocabulary: ReadonlySet<string> = new Set(
  [
    ...commands.flatMap(({ opens, words }) => [...(opens === 'anything' ? [] : Object.keys(opens)), ...Object.keys(words)]),
    ...talks.flatMap(({ words }) => Object.keys(words)),
    ...Object.keys(question.words),
    ...politeness,
    ...stopWords,
  ].flatMap((phrase) => phrase.split(' ')),
)
