import type { ToolSpec } from '../event/prompt.ts'
import { builtIn, failed, said, type Tool } from '../tool/tool.ts'

export interface ReportUpdatesParts {
  /** Keeps the update until main's next turn, and says what became of it. */
  readonly handIn: (text: string, source: string) => Promise<string>
  /** Who reports it. */
  readonly source: () => string
}

export const UPDATE_BYTES_MAX = 16 * 1_024

const spec: ToolSpec = {
  name: 'report_updates',
  description:
    'Tells the main session something it should know. It reads it before its next answer; nobody is disturbed now.',
  parameters: {
    type: 'object',
    properties: { message: { type: 'string', description: 'What happened, in a few sentences' } },
    required: ['message'],
  },
}

const USAGE = `Usage: report_updates {"message": text of at most ${UPDATE_BYTES_MAX / 1_024} KB}.`

/** The door for agents outside: what they report waits for main, as what its own forks report does. */
export function reportUpdatesTool({ handIn, source }: ReportUpdatesParts): Tool {
  return {
    spec,
    nature: builtIn('steers'),
    check: ({ message }) => {
      if (typeof message !== 'string' || message.trim() === '') return `There is no message. ${USAGE}`
      return Buffer.byteLength(message) > UPDATE_BYTES_MAX ? `The message is too long. ${USAGE}` : undefined
    },
    run: async ({ message }) => {
      if (typeof message !== 'string') return failed(`There is no message. ${USAGE}`)
      return said(await handIn(message.trim(), source()))
    },
  }
}

const NAME_MAX = 40

/** `mcp claude-code`: the client's own word for itself, made plain. */
export function clientSource(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replaceAll(/^-+|-+$/g, '')
  return `mcp ${plain.slice(0, NAME_MAX) || 'unnamed'}`
}
