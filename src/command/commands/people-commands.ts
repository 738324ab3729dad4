import { actApprovePairing, actRefusePairing, actRemovePerson } from '../../agent/branch/people-acts.ts'
import { ok, type Actor } from '../../agent/contract/act.ts'
import { boundTo } from '../../agent/state/person.ts'
import { pairingsText, peopleText, peopleView } from '../../view/people.ts'
import { bind, type Commands, type Outcome } from '../desk/desk.ts'

export const peopleCommands: Commands<'pair' | 'people'> = {
  pair: (_, { command, source }) => {
    switch (command.act) {
      case 'list':
        return looking(pairingsText)
      case 'approve':
        return (writing, actor) =>
          actApprovePairing(writing, actor, { ...command, isNew: source.isButton === true })
      case 'refuse':
        return (writing, actor) => actRefusePairing(writing, actor, command.code)
    }
  },

  people: (_, order) => {
    const { remove } = order.command
    if (remove === null) return looking(peopleText)
    return (writing, actor) => {
      const said = actRemovePerson(writing, actor, remove)
      const { branch, at } = actor
      // If the branch answered there, it answers here from now on.
      if (!said.isError && boundTo(writing, order.source) === branch) bind(writing, order, { branch, at })
      return said
    }
  },
}

function looking(text: typeof peopleText): Outcome {
  return {
    look: (reader, { at: now, settings }: Actor) =>
      ok(text(peopleView(reader, { now, settings }), { now, zone: settings.zone })),
  }
}
