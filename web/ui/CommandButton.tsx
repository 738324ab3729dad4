import type { ComponentProps } from 'react'
import { useCommand, type Saying } from '../api/act.ts'
import { Button } from './button.tsx'

interface CommandButtonProps extends ComponentProps<typeof Button> {
  readonly line: string
  /** The branch that is meant, or the message that is answered; left out: the branch that the page talks to. */
  readonly to?: Pick<Saying, 'branch' | 'replyTo'>
}

/** Performs a command line, such as `/undo`, as if it were typed, and shows what came of it. */
export function CommandButton({ line, to, disabled = false, ...rest }: CommandButtonProps) {
  const { mutate, isPending } = useCommand()
  return (
    <Button small disabled={disabled || isPending} onClick={() => mutate({ text: line, ...to })} {...rest} />
  )
}
