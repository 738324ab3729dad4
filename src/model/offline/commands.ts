import { agentSlot, asideSlot, goalSlot, messageSlot } from './agent-slots.ts'
import { type Command, weigh } from './intent.ts'
import { markSlot, nameSlot } from './mark-slots.ts'

const agents = weigh({
  2.5: 'subagent',
  2: 'agent, child, helper, worker, someone, sidekick, minion, deputy, aide',
  1.5: 'assistant, copy, clone, colleague',
})

const mark: Command = {
  command: 'mark',
  needs: 2.5,
  strange: 1,
  opens: weigh({
    2.5: 'checkpoint, bookmark, savepoint, save point, snapshot',
    2: 'mark',
    1.5: 'remember, save, store, label, tag, pin, flag',
    1: `set, create, make, put, place, drop, leave, add, take, keep, name, call, record, stick, lay, stake,
      establish, register, capture`,
  }),
  words: weigh({
    2: `checkpoint, mark, marker, bookmark, savepoint, save point, restore point, snapshot, milestone, waypoint,
      breadcrumb, signpost, where we are`,
    1.5: 'flag, pin, tag, anchor, landmark, spot, point, place, position, moment, state',
    1: 'here, conversation, context',
    0.5: 'this, now',
    0: 'call, name, title, label',
  }),
  slot: nameSlot,
  topics: ['mark', 'marks', 'marking', 'checkpoint', 'checkpoints'],
  about: 'A mark is a named place in the conversation, to which "go back to NAME" returns (`/mark NAME`).',
  example: 'mark this as BEFORE_REFACTOR',
}

const rewind: Command = {
  command: 'clear',
  needs: 3,
  strange: 1,
  opens: weigh({
    3: 'rewind, revert, roll back, rollback',
    2: `restore, return, back, go back, get back, take me back, take us back, bring me back, bring us back,
      jump back, move back, step back, switch back, wind back, head back, hop back, travel back, turn back, back up, reset, undo everything, clear everything,
      forget everything, drop everything`,
    1.5: 'undo, clear',
    1: 'jump, go, load, reload',
  }),
  words: weigh({
    1.5: 'checkpoint',
    1: 'mark, point, spot, state, back',
    0.5: 'last, previous, latest, newest',
    0: 'where, set, was, all the way',
  }),
  slot: markSlot,
  topics: ['rewind', 'rewinding'],
  about:
    'Rewinding takes what came after a mark out of the context (`/rewind MARK`); the log keeps it, and `/undo` brings it back.',
  example: 'go back to BEFORE_REFACTOR',
}

const clear: Command = {
  command: 'clear',
  needs: 3,
  strange: 2,
  opens: weigh({
    3: `clear, reset, start over, start again, start afresh, start fresh, start anew, begin again, begin anew,
      begin afresh, start from scratch, start from zero, fresh start, clean slate, blank slate,
      new conversation, new session, new chat, start a new conversation, start a new chat,
      start a new session, start a fresh conversation`,
    2: 'wipe, erase, flush, purge, scrap, discard, restart, nuke, trash, bin',
    1.5: 'forget, empty, delete, dump, drop',
    1: 'start, begin, throw',
  }),
  words: weigh({
    1.5: 'everything, all, context, conversation, history, memory, chat, session, slate',
    1: 'scratch, empty, clean, fresh, blank',
    0.5: 'new, away',
    0: 'whole, entire, completely, said, talked, about, yourself',
  }),
  topics: ['clear', 'clearing'],
  about:
    'Clearing empties the context (`/clear`), so the next message starts afresh; the log keeps it all, and `/undo` brings it back.',
  example: 'forget everything',
}

const fork: Command = {
  command: 'fork',
  needs: 3,
  strange: 1.5,
  isOpen: true,
  opens: {
    ...agents,
    ...weigh({
      3: 'fork, delegate, outsource, fork off, branch off, split off',
      2: 'spawn, branch, clone, spin off, spin up, spin out, spawn off',
      1.5: `launch, assign, kick off, fire up, fire off, start up, start off, send out, send off, dispatch, deploy,
        enlist, recruit, hire, summon, appoint, engage, employ, bring in, call in, set`,
      1: 'start, create, make, have, get, let, ask, put, hand, use, tell, find, give, set up, task',
    }),
  },
  words: {
    ...agents,
    ...weigh({ 0.5: 'yourself, separate, task, job', 0: 'conversation, context, new, another, else, goal' }),
  },
  slot: goalSlot,
  topics: ['fork', 'forks', 'forking', 'tangent', 'child', 'subagent', 'delegate', 'delegating'],
  about:
    'A fork starts a child that works on a goal by itself and reports by mail; you stay where you are (`/fork -- GOAL`). `/fork` alone takes you into one to talk in, aside from main.',
  example: 'fork this and compare the two drafts',
}

const aside: Command = {
  ...fork,
  opens: 'anything',
  words: weigh({
    3: 'in the background, meanwhile, in the meantime, in parallel, on the side, at the same time',
  }),
  slot: asideSlot,
  topics: [],
}

const send: Command = {
  command: 'send',
  needs: 3,
  strange: 1,
  isOpen: true,
  opens: weigh({
    1.5: `tell, message, send, inform, notify, ask, write, let, mail, text, forward, reply, answer, remind,
      warn, update, say, pass on, pass, give, ping, brief, alert, nudge, poke`,
  }),
  words: agents,
  slot: messageSlot,
  topics: ['send', 'sending'],
  about:
    'Sending leaves a message in the mailbox of another agent and wakes it if it is an idle child (`/send ID MESSAGE`).',
  example: 'tell k3f9ab that the deadline moved',
}

const checkMail: Command = {
  command: 'check-mail',
  needs: 2.5,
  strange: 1,
  opens: 'anything',
  words: weigh({
    2.5: `mail, inbox, mailbox, write to me, wrote to me, written to me, get back to me, got back to me,
      gotten back to me`,
    2: 'messages, letters, report back, reported back',
    1.5: 'reply, replies, responses, hear from, heard from, hear back, heard back, what is in',
    1: 'post, message, news, check, read, show, fetch, any, unread, report',
    0.5: `open, get, look, anything, anyone, someone, new, got, came, come, arrived, arrive, child, agent,
      are there, is there, do i have, have i got, answered`,
    0: 'have, yet',
  }),
  topics: ['mail', 'mailbox', 'inbox'],
  about: 'Agents write to each other by mail: `/send ID MESSAGE` writes, `/check-mail` reads what is unread.',
  example: 'any mail?',
}

const kill: Command = {
  command: 'kill',
  needs: 3,
  strange: 2,
  opens: weigh({
    2: 'kill, terminate, shut down, shutdown, get rid of, call off, put an end to, pull the plug on',
    1.5: `stop, end, abort, cancel, halt, dismiss, quit, close, finish, remove, fire, sack, ax, axe, take down,
      bring down, take out`,
  }),
  words: { ...agents, ...weigh({ 0: 'right away, immediately, down, id, work, running' }) },
  slot: agentSlot,
  topics: ['kill', 'killing'],
  about: 'Killing ends an agent and all agents below it at once (`/kill ID`).',
  example: 'stop k3f9ab',
}

export const commands: readonly Command[] = [mark, rewind, clear, fork, aside, send, checkMail, kill]
