import { createInterface } from 'node:readline'

/** Asks for one line on the terminal; undefined when the input ended, `interrupted` on Ctrl-C. */
export type Question = (text: string) => Promise<{ readonly line: string | undefined } | 'interrupted'>

export const terminalQuestion: Question = (text) =>
  new Promise((resolve) => {
    const reader = createInterface({ input: process.stdin, output: process.stdout })
    const answer = (given: Awaited<ReturnType<Question>>): void => {
      resolve(given)
      reader.close()
    }
    reader.on('SIGINT', () => answer('interrupted'))
    reader.on('close', () => resolve({ line: undefined }))
    reader.question(text, (line) => answer({ line }))
  })
