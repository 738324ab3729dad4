import { commands } from './commands.ts'
import { type Scored, type Talk, weigh } from './intent.ts'

export const talks: readonly Talk[] = [
  {
    answer: 'Hello! I am the offline model and follow fixed rules; say "help" to see what I can do.',
    needs: 2,
    strange: 1,
    words: weigh({
      3: `hi, hello, hiya, howdy, greetings, yo, good morning, good afternoon, good evening, good day,
        nice to meet you, anyone there, hallo, moin, servus, guten morgen, guten tag, guten abend, hola,
        buenos dias, bonjour, ahoy, heya, namaste, good to see you, 👋, 🙋, 🖖`,
      2.5: 'hey, morning, you there',
      2: 'welcome, evening',
      0.5: 'mainstem',
      0: 'everyone, friend, world, 😊, 🙂, 😀, 😃',
    }),
  },
  {
    answer: 'You are welcome.',
    needs: 2,
    strange: 1,
    words: weigh({
      3: 'thanks, thank you, appreciate, appreciated, cheers, danke, gracias, merci, obrigado, grazie, kudos, 🙏',
      2.5: 'well done, good job, nice work, great work',
      2: 'thank, perfect, awesome, brilliant, excellent, wonderful, lovely, 🎉, ❤, 💯',
      1.5: 'great, nice',
      1: 'helpful',
      0: '👋, 👍, 😊, 🙂, 😀, much, lot, very, many, help, really, kind, schon, muchas, million',
    }),
  },
  {
    answer: 'Goodbye! Everything is kept in the log.',
    needs: 2,
    strange: 1,
    words: weigh({
      3: `bye, goodbye, cya, see you, see ya, farewell, good night, take care, talk to you later, signing off,
        have a nice day, have a good day, ciao, tschuss, adios, auf wiedersehen, hasta luego`,
      2.5: 'that is all, i have to go, i must go, i am off, have a nice, talk later',
      0: '👋, 😊, 🙂, weekend, evening, later, soon, tomorrow, today, tonight, now, next, week',
    }),
  },
  {
    answer: 'I work as I should. I am a set of rules, so I have no moods to report.',
    needs: 2.5,
    strange: 1,
    words: weigh({
      3: `how are you, how is it going, how do you do, how have you been, what is up, how are things,
        how do you feel, how is your day, are you ok, are you well, are you fine, are you happy, sup, que tal`,
      2: 'gehts',
      1.5: 'are you doing, feeling',
      1: 'well, fine, wie',
      0.5: 'ok',
      0: 'going, doing, today',
    }),
  },
  {
    answer:
      "I am Mainstem's built-in offline model: a set of rules, not a language model. I recognise some requests and act on them, but I know nothing and cannot think. `/model` connects a real one.",
    needs: 2,
    strange: 1,
    words: weigh({
      3: 'who are you, what are you, introduce yourself, who made you, who built you',
      2.5: 'who is this, your name, which model, what model, about yourself',
      2: 'am i talking to, am i speaking to',
      1.5: `human, bot, robot, ai, chatgpt, gpt, claude, gemini, llm, machine, language model, intelligent, alive,
        conscious`,
      1: 'are you, person, real, model, talking to',
      0: 'tell me, running, what, who',
    }),
  },
  {
    answer: [
      'I am a set of rules, and this is what I can do in plain words:',
      ...commands.filter(({ topics }) => topics.length > 0).map(({ example }) => `- ${example}`),
      '- what did I say about the dentist?',
      '- remember that I like tea',
      '- remind me to call mum tomorrow at 9; what are my reminders?',
      '- add milk to my list; what is on my list?',
      '- let us talk about the garden on the side; then: save this, report back, or leave this fork',
      '',
      'Several at once work too: "mark this as A, then fork and try the other way". I cannot answer questions of knowledge or write texts; `/model` connects a real model, `/help` lists all commands.',
    ].join('\n'),
    needs: 2,
    strange: 1,
    words: weigh({
      3: `help, what can you do, what you can do, what can i do, what can i say, what can i ask, what can i type, how do i use,
        how do i start, how does this work, how do you work, how can i use, what do you do,
        what do you understand, what do you know, what are you able, capabilities, abilities`,
      2.5: 'i am lost, i am stuck, features, get started',
      2: 'commands, options, understand, manual, instructions',
      1.5: 'are you able',
      0.5: 'use, able, list, available',
      0: 'what, things, which, how, work, know, need, show',
    }),
  },
  {
    answer:
      'I cannot change the model myself: type `/model` to see the models and `/model NAME` to connect one.',
    needs: 2.5,
    strange: 1,
    words: weigh({
      2: 'real model, language model, llm',
      1.5: `connect, switch, change, choose, configure, set up, select, model, models, claude, gpt, gemini, ollama,
        openai, anthropic`,
      1: 'use, add, set',
      0: 'how, to, real, another, different, other',
    }),
  },
  {
    answer: 'All right. I did nothing.',
    needs: 1.5,
    strange: 1,
    words: weigh({
      3: 'never mind, nevermind, forget it, forget about it',
      2: 'ok, yes, no, yep, nope, yeah, sure, alright, i see, got it, understood, sorry, hm, hmm, 👍, 👌, ✅, 🆗',
      1.5: 'fine, right, cool, nothing, wait, done',
      1: 'good',
      0: 'then, all',
    }),
  },
]

/** Asks about a command rather than for it; what it is about is one of the commands' topics. */
export const question: Scored = {
  needs: 3.5,
  strange: 1,
  words: weigh({
    2: `what is, what are, what does, what do, what happens, how, why, explain, describe, tell me about,
      tell me what, tell me how, meaning, difference, should i, can i`,
    1.5: ['when', ...commands.flatMap(({ topics }) => topics)].join(','),
    1: 'mean, do you know',
    0.5: 'command, work, works, use',
    0: 'commands, used, exactly, between, good, happens, if, set, new, agent, context, conversation, everything',
  }),
}
