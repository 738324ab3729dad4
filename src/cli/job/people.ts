import { systemClock } from '../../base/clock.ts'
import { pairingsText, peopleText, peopleView } from '../../view/people.ts'
import type { Command, CommandCall } from '../frame/command.ts'
import { openLog, settingsOf, withLog } from '../frame/home.ts'
import { orderJob, shellText } from './job-order.ts'

export const pairCommand: Command = {
  name: 'pair',
  summary: `approve someone's pairing code`,
  usage: '[approve CODE me|NAME | refuse CODE] [--json]',
  details: `Someone new who writes to the assistant gets a code, which works for an hour.
Without arguments, lists who is waiting.

  approve CODE me      it is you: that conversation talks to main
  approve CODE NAME    a guest, with a conversation, a memory and jobs of their own
  refuse CODE          forgets the code

  --json               output as JSON
  --yes                lets a program, or a pipe, decide

In a conversation, /pair does the same.`,
  run: (call) => show(call, pairingsText, 'pairings'),
  verbs: {
    approve: {
      takes: 'CODE NAME…',
      run: (call, [code = '', ...name]) => orderJob(call, `/pair approve ${code} ${name.join(' ')}`),
    },
    refuse: { takes: 'CODE', run: (call, [code = '']) => orderJob(call, `/pair refuse ${code}`) },
  },
}

export const peopleCommand: Command = {
  name: 'people',
  summary: 'who can talk to the assistant',
  usage: '[remove NAME] [--json]',
  details: `Lists you, your guests and groups, where they write from and when they last did, and how many
messages of strangers came.

  remove NAME    ends a guest's conversations and jobs; to write again, they need a new code.
                 NAME can also be one account, such as telegram:12345, even yours

  --json         output as JSON

In a conversation, /people does the same.`,
  run: (call) => show(call, peopleText),
  verbs: {
    remove: { takes: 'NAME…', run: (call, name) => orderJob(call, `/people remove ${name.join(' ')}`) },
  },
}

async function show(call: CommandCall, text: typeof peopleText, part?: 'pairings'): Promise<number> {
  const look = { now: systemClock(), settings: settingsOf(call) }
  const view = await withLog(openLog(call.home), (log) => log.read((reader) => peopleView(reader, look)))
  return call.print(part === undefined ? view : view[part], () =>
    shellText(text(view, { now: look.now, zone: look.settings.zone }), ''),
  )
}
