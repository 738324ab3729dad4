import { systemClock } from '../../base/clock.ts'
import { expandDynamic } from '../../skill/dynamic-context.ts'
import { hardened } from '../../skill/executor/hardening.ts'
import { skillBox } from '../../skill/executor/load-tools.ts'
import { locate, refusedBinary } from '../../skill/executor/programs.ts'
import type { Skill } from '../../skill/skill.ts'
import { excessText, exitText } from '../../tool/process/exit-text.ts'
import { findBinary } from '../../tool/process/find-binary.ts'
import { runProgram, type ProgramOrder, type Ran } from '../../tool/process/run-program.ts'
import { homeBoxes } from '../home/home-boxes.ts'
import type { SkillParts } from '../home/home-skills.ts'

/** The body of a skill as a job loads it: its !`commands` are replaced by their output, where scripts may run. */
export function skillForJob(
  { name, body, directory, network = false }: Skill,
  {
    home,
    values,
    environment,
    onStart,
  }: Pick<SkillParts, 'home' | 'values' | 'environment'> & Pick<ProgramOrder, 'onStart'>,
  signal: AbortSignal,
): Promise<string> {
  const { allowScripts } = values.skills
  const boxes = homeBoxes({ home, environment, values: () => values })
  const box = skillBox(boxes, { skill: name, directory, network, folders: [], writable: [] })
  return expandDynamic(body, {
    allowScripts,
    now: systemClock,
    signal,
    run: async ([binary = '', ...argv], { timeoutMs, signal: ending }) => {
      const refused = refusedBinary(binary)
      if (refused !== undefined) return { problem: refused }
      const located = locate(binary, (name) => findBinary(name, environment['PATH'] ?? ''))
      if ('problem' in located) return located
      const env = hardened(binary, environment, { workspace: directory })
      const order = { file: located.file, argv, cwd: directory, env, timeoutMs, signal: ending, box }
      return outputOf(binary, await runProgram({ ...order, ...(onStart && { onStart }) }))
    },
  })
}

function outputOf(binary: string, ran: Ran): { text: string } | { problem: string } {
  switch (ran.kind) {
    case 'exited':
      return ran.code === 0 ? { text: ran.stdout } : { problem: `${binary}: ${exitText(ran)} ${ran.stderr}` }
    case 'timed-out':
      return { problem: `${binary}: it took longer than ${ran.timeoutMs / 1_000} s` }
    case 'flooded':
      return { problem: `${binary}: it wrote too much output` }
    case 'exceeded':
      return { problem: `${binary}: it ${excessText(ran.excess)}` }
    case 'stopped':
      return { problem: `${binary}: stopped` }
    case 'not-started':
      return { problem: `${binary}: ${ran.problem}` }
  }
}
