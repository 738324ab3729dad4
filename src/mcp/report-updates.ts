import { z } from 'zod'
import { defineTool } from '../tool/define-tool.ts'
import { builtIn, ok, type Tool } from '../tool/tool.ts'

export const UPDATE_BYTES_MAX = 16 * 1_024

/** The door for agents outside: what they report waits for main, as what its own forks report does. */
export function reportUpdatesTool({
  handIn,
  source,
}: {
  /** Keeps the update until main's next turn, and says what became of it. */
  readonly handIn: (text: string, source: string) => Promise<string>
  /** Who reports it. */
  readonly source: () => string
}): Tool {
  return defineTool({
    name: 'report_updates',
    description:
      'Tells the main session something it should know. It reads it before its next answer; nobody is disturbed now.',
    schema: z.strictObject({ message: messageSchema }),
    usage: `Usage: report_updates {"message": text of at most ${UPDATE_BYTES_MAX / 1_024} KB}.`,
    nature: builtIn('steers'),
    run: async ({ message }) => ok(await handIn(message, source())),
  })
}

const messageSchema = z
  .string()
  .describe('What happened, in a few sentences')
  .trim()
  .min(1, { error: 'it is empty' })
  .refine((message) => Buffer.byteLength(message) <= UPDATE_BYTES_MAX, { error: 'it is too long' })

const NAME_MAX = 40

/** `mcp claude-code`: the client's own word for itself, made plain. */
export function clientSource(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replaceAll(/^-+|-+$/g, '')
  return `mcp ${plain.slice(0, NAME_MAX) || 'unnamed'}`
}
