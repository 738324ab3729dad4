import { createContext, useContext, type ComponentProps } from 'react'
import { navigate } from 'wouter/use-browser-location'
import type { BranchHead } from '../../src/view/chat/timeline.ts'
import { useCommand } from '../api/act.ts'
import { Button } from '../ui/button.tsx'
import type { Entry } from './timeline.ts'

/** The branch that is shown, and what replies to one of its entries. */
export const Place = createContext({ branch: 'main', reply: (_entry: Entry): void => {} })

export function chatOf(branch: string): string {
  return branch === 'main' ? '/chat' : `/chat/${branch}`
}

/** A command may have led to another branch. */
export function follow(from: string, to: string): void {
  if (to !== from) navigate(chatOf(to))
}

/** Performs command lines in the branch that is shown, one after the other, until one fails. */
export function useActs() {
  const { branch } = useContext(Place)
  const { mutateAsync, isPending } = useCommand('shown')
  const act = async (lines: readonly string[], replyTo?: number): Promise<void> => {
    for (const text of lines) {
      const saying = { text, branch, ...(replyTo !== undefined && { replyTo }) }
      const answer = await mutateAsync(saying).catch(() => undefined)
      if (answer === undefined || answer.said?.isError === true) return
      follow(branch, answer.branch)
    }
  }
  return { act, isPending }
}

/** A button that performs a command line; `of`: the position of the message that offers it. */
export function Act({ line, of, ...rest }: ComponentProps<typeof Button> & { line: string; of?: number }) {
  const { act, isPending } = useActs()
  return <Button small disabled={isPending} onClick={() => void act([line], of)} {...rest} />
}

/** The name of a branch, for people. */
export function titleOf({ name, title, mode, run }: BranchHead): string {
  return mode === 'main' ? name : (title ?? run?.replace(/^.*:/, '') ?? name)
}

/** `fork`, `child, running`, `fork, saved` */
export function stateText({ mode, state, reason, run }: BranchHead): string {
  const what = run === null ? mode : (run.split(':')[0]?.replace('-bg', '') ?? mode)
  return state === 'idle' ? what : `${what}, ${state === 'ended' ? reason : state}`
}
