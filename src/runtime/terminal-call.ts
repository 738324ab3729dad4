import { oneLine, shorten } from '../base/width.ts'

const ARGUMENTS_WIDTH = 60
const RESULT_WIDTH = 120

/** `mark TASK` of a `slash` call, `ids: k3f9ab; until: all` of another. */
export function callSummary(tool: string, args: string): string {
  const given = parsed(args)
  if (given === undefined) return shorten(oneLine(args), ARGUMENTS_WIDTH)
  const words =
    tool === 'slash'
      ? [given['command'], given['args']].filter((word) => typeof word === 'string').join(' ')
      : Object.entries(given)
          .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
          .join('; ')
  return shorten(oneLine(words), ARGUMENTS_WIDTH)
}

/** As `callSummary`, with what came of it: `mark TASK → Checkpoint 'TASK' created.` */
export function resultSummary(tool: string, args: string, result: string): string {
  const told = parsed(result)
  const words = told?.['error'] ?? told?.['text']
  const text = shorten(oneLine(typeof words === 'string' ? words : result), RESULT_WIDTH)
  return `${callSummary(tool, args)} → ${text}`.trim()
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
