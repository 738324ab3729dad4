import type { Choice } from '../../../event/work.ts'

/** Answers that every numbered ping has, besides those that its author offers. */
const EVERY_PING = /^\/(?:done|snooze|less) (\d+)(?: |$)/

/** Whether it is one of those: they share one line. */
export function isForEveryPing({ command }: Choice, number: number | undefined): boolean {
  return number !== undefined && EVERY_PING.exec(command)?.[1] === String(number)
}

/** `/done 3 · /snooze 3 1h · /less 3 · /reply 3 …`; undefined if it has no such answers. */
export function pingAnswers(number: number | undefined, choices: readonly Choice[]): string | undefined {
  const offered = choices.filter((choice) => isForEveryPing(choice, number)).map(({ command }) => command)
  if (offered.length === 0) return undefined
  // One snooze time is enough as an example.
  const short = ['/done', '/snooze', '/less'].flatMap((name) => {
    const those = offered.filter((command) => command.startsWith(`${name} `))
    return (those.find((command) => command.endsWith(' 1h')) ?? those[0]) || []
  })
  return [...short, `/reply ${number} …`].join(' · ')
}
