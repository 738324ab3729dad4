import type { ComponentProps } from 'react'
import { useCommand } from '../api/act.ts'
import { Button } from './button.tsx'

/** Performs a command line, such as `/undo`, as if it were typed, and shows what came of it. */
export function CommandButton({ line, ...rest }: ComponentProps<typeof Button> & { readonly line: string }) {
  const { mutate, isPending } = useCommand()
  return <Button small disabled={isPending} onClick={() => mutate({ text: line })} {...rest} />
}
