import { refusal, type Said } from '../../agent/contract/act.ts'
import { personIn, roleOf } from '../../agent/state/person.ts'
import { conclude, isConcluded, type Commands, type Desk, type Order, type Outcome } from '../desk/desk.ts'
import { OWNER } from '../../event/speaker.ts'
import { quotable } from '../read/arguments.ts'
import { isForOwner, type CommandName } from '../read/catalogue.ts'
import { approvalCommands } from './approval-commands.ts'
import { contextCommands } from './context-commands.ts'
import { forkCommands } from './fork-commands.ts'
import { jobCommands } from './job-commands.ts'
import { lookCommands } from './look-commands.ts'
import { peopleCommands } from './people-commands.ts'
import { permissionCommands } from './permission-commands.ts'
import { pingBudgetCommands } from './ping-budget-command.ts'
import { pingCommands } from './ping-commands.ts'
import { runCommands } from './run-commands.ts'
import { settingsCommands } from './settings-commands.ts'
import { toolCommands } from './tool-commands.ts'

const commands: Commands<CommandName> = {
  ...approvalCommands,
  ...contextCommands,
  ...forkCommands,
  ...jobCommands,
  ...lookCommands,
  ...peopleCommands,
  ...permissionCommands,
  ...pingBudgetCommands,
  ...pingCommands,
  ...runCommands,
  ...settingsCommands,
  ...toolCommands,
}

/** Performs a command and concludes it; undefined: that was done before, or it still waits in the inbox. */
export async function perform(desk: Desk, order: Order): Promise<Said | undefined> {
  const { isDone, role, person } = await desk.log.read((reader) => ({
    isDone: isConcluded(reader, order),
    role: roleOf(reader, order.source.person),
    person: personIn(reader, order.branch),
  }))
  // Before the command changes a file or the configuration a second time.
  if (isDone) return undefined
  if (role !== 'owner' && isForOwner(order.command))
    return conclude(desk, order, refusal(`This is for the owner only: ${quotable(order.line)}`))
  const mine = person === OWNER ? desk : await desk.deskOf(person)
  const command = commands[order.command.name] as (desk: Desk, order: Order) => Outcome | Promise<Outcome>
  return conclude(mine, order, await command(mine, order))
}
