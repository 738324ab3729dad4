import type { Printer } from './printer.ts'

/** What a command of the conversation answers, with what can be typed in a shell where it says what to type. */
export function shellText(text: string, line: string): string {
  const [verb, kind = '', id] = line.split(' ')
  const isOfOne = (verb === '/pause' || verb === '/resume') && id !== undefined
  const own = isOfOne ? text.replaceAll(`/resume ${id}`, `'mainstem ${kind} resume ${id}'`) : text
  return own
    .replaceAll(/\/agents(?= shows)/g, "'mainstem agents'")
    .replaceAll(/(?<=^|\s)(\/(?:resume|kill \w+|pause \w+))(?= (?:ends|pauses))/g, '$1 in a conversation')
}

/** The same for what is printed of a line that was said here; that it failed goes to the standard error. */
export function shellPrinter(printer: Printer): Printer {
  return {
    ...printer,
    outcome: async (line, outcome) => {
      if (outcome.isFailed) {
        for (const { text } of outcome.results)
          await printer.refused(line, `mainstem: ${shellText(text, line)}`)
        return
      }
      const results = outcome.results.map((one) => ({ ...one, text: shellText(one.text, line) }))
      await printer.outcome(line, { ...outcome, results })
    },
  }
}
