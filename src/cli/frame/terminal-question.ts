import { createInterface } from 'node:readline'
import type { World } from './command.ts'

/** Asks for one line on the terminal; undefined when the input ended, `interrupted` on Ctrl-C. */
export type Question = (text: string) => Promise<{ readonly line: string | undefined } | 'interrupted'>

export function terminalQuestion({ input, out }: World, text: string): ReturnType<Question> {
  return new Promise((resolve) => {
    const reader = createInterface({ input, output: out.stream })
    const answer = (given: Awaited<ReturnType<Question>>): void => {
      resolve(given)
      reader.close()
    }
    reader.on('SIGINT', () => answer('interrupted'))
    reader.on('close', () => resolve({ line: undefined }))
    reader.question(out.shown(text), (line) => answer({ line }))
  })
}
