import { useMutation } from '@tanstack/react-query'
import { toast } from '../ui/toast.ts'
import { post, type ApiError } from './client.ts'
import { queries } from './query.ts'

export interface Said {
  /** `admitted`: a message or command that waits for its turn; `done`: a command that acted at once. */
  readonly kind: 'admitted' | 'done' | 'duplicate' | 'empty'
  /** The branch that the page talks to now. */
  readonly branch: string
  readonly said?: { readonly text: string; readonly isError: boolean }
}

export interface Saying {
  readonly text: string
  readonly branch?: string
  /** Uploaded before. */
  readonly files?: readonly { readonly hash: string; readonly name: string }[]
  readonly replyTo?: number
  /** The same key again does nothing more. */
  readonly key?: string
}

/** Says something as if it were typed in a chat. */
export function say({ key = crypto.randomUUID(), ...saying }: Saying): Promise<Said> {
  return post<Said>('/api/say', { key, ...saying })
}

/**
 * For buttons: performs a command line, such as `/undo`, in a branch, and says what came of it. `shown`: the view shows
 * what was done, and only an error is said.
 */
export function useCommand(effect?: 'shown') {
  return useAct(async ({ text, ...saying }: Saying) => {
    const answer = await say({ ...saying, text: commandLine(text) })
    const { said } = answer
    if (said !== undefined && (said.isError || effect !== 'shown'))
      toast(said.text, said.isError ? 'bad' : 'plain')
    return answer
  })
}

/** For what no command says. Everything is read again; if the server refuses, its reason is shown. */
export function useAct<Given = void, Answer = unknown>(act: (given: Given) => Promise<Answer>) {
  return useMutation<Answer, ApiError, Given>({
    mutationFn: act,
    onSettled: () => void queries.invalidateQueries(),
    onError: ({ message }) => toast(message, 'bad'),
  })
}

/** One line: a name in it that a stranger or a server chose must not bring a second command along. */
export function commandLine(text: string): string {
  return text.replaceAll(/[\s\u0085]+/gu, ' ').trim()
}
