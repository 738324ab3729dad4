import { unreachable } from '../../base/unreachable.ts'
import { fence } from '../../event/fence.ts'
import { exitText } from '../../tool/process/exit-text.ts'
import type { Ran } from '../../tool/process/run-program.ts'
import { failed, ok, type ToolResult } from '../../tool/tool.ts'

/** What the model gets of a run. What a program writes is data, whatever it says (SAFE2). */
export function programResult(program: string, ran: Ran, successExitCodes: readonly number[]): ToolResult {
  switch (ran.kind) {
    case 'not-started':
      return failed(`${program} was not started: ${ran.problem}`)
    case 'stopped':
      return failed(`${program} was stopped`)
    case 'timed-out':
      return failed(
        withOutput(`${program} took longer than ${secondsText(ran.timeoutMs)} and was killed`, ran),
      )
    case 'flooded':
      return failed(withOutput(`${program} wrote more than ${ran.floodMax} bytes and was killed`, ran))
    case 'exited': {
      if (ran.code === 0 && ran.stderr === '') return ok(fencedOutput(ran.stdout))
      const isFine = ran.code !== null && (ran.code === 0 || successExitCodes.includes(ran.code))
      const text = withOutput(`${program} ${isFine ? 'ended' : 'failed'}: ${exitText(ran)}`, ran)
      return isFine ? ok(ran.code === 0 ? withOutput('', ran) : text) : failed(text)
    }
    default:
      return unreachable(ran)
  }
}

function fencedOutput(text: string): string {
  return text === '' ? '(no output)' : fence('SKILL TOOL', text)
}

function withOutput(first: string, { stdout, stderr }: { stdout: string; stderr: string }): string {
  const parts = [
    ...(first === '' ? [] : [first]),
    ...(stderr === '' ? [] : [`stderr:\n${fence('SKILL TOOL', stderr)}`]),
    `stdout:\n${fencedOutput(stdout)}`,
  ]
  return parts.join('\n')
}

function secondsText(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 1_000)} s`
}
