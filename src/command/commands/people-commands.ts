import { actApprovePairing, actRefusePairing, actRemovePerson } from '../../agent/branch/people-acts.ts'
import { ok, type Actor } from '../../agent/contract/act.ts'
import { pairingsText, peopleText, peopleView } from '../../view/people.ts'
import type { Commands, Outcome } from '../desk/desk.ts'

export const peopleCommands: Commands<'pair' | 'people'> = {
  pair: (_, { command }) => {
    switch (command.act) {
      case 'list':
        return looking(pairingsText)
      case 'approve':
        return (writing, actor) => actApprovePairing(writing, actor, command)
      case 'refuse':
        return (writing, actor) => actRefusePairing(writing, actor, command.code)
    }
  },

  people: (_, { command: { remove } }) =>
    remove === null ? looking(peopleText) : (writing, actor) => actRemovePerson(writing, actor, remove),
}

function looking(text: typeof peopleText): Outcome {
  return {
    look: (reader, { at: now, settings }: Actor) =>
      ok(text(peopleView(reader, { now, settings }), { now, zone: settings.zone })),
  }
}
