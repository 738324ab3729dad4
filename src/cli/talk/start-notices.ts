import { missingModel, missingWords } from '../../agent/state/home-model.ts'
import { systemClock } from '../../base/clock.ts'
import type { Life } from '../../runtime/life/life.ts'
import { summariserProblem } from '../../runtime/home/model-shelf.ts'
import { agentsFile } from '../../runtime/home/workspace.ts'

/** Notices at a start, one line each: warnings, the first start, what changed. */
export async function startNotices(
  life: Life,
  { home, way }: { home: string; way: 'chat' | 'serve' | 'command' },
): Promise<readonly string[]> {
  const settings = life.desk.settings()
  const missing = await life.log.read((reader) => missingModel(reader, settings))
  const problem = summariserProblem(life.config, systemClock)
  const warnings = [...life.config.warnings, ...(problem === undefined ? [] : [problem])].map(
    (text) => `Warning: ${text}`,
  )
  // A single question is told so itself.
  if (missing !== undefined && way !== 'command') {
    const how = way === 'chat' ? '/model NAME' : 'mainstem config set model NAME'
    warnings.push(`${missingWords(missing)}: questions and jobs wait. ${how} chooses one.`)
  }
  if (settings.permissions === 'bypassPermissions')
    warnings.push(
      'Permission mode is bypassPermissions: every call runs without asking. /permissions dontAsk turns that off.',
    )
  if (life.isFirstStart) return [...warnings, firstStart(life, { home, way })]
  if (!life.isSetupNew) return warnings
  return [
    ...warnings,
    'AGENTS.md or the tools changed since the last start. Prompts use the new text from now on.',
  ]
}

function firstStart(
  { desk }: Life,
  { home, way }: { home: string; way: 'chat' | 'serve' | 'command' },
): string {
  const { model } = desk.settings()
  const what = model === 'offline' ? 'offline (fixed rules, no language model)' : model
  const change = way === 'chat' ? '/model NAME' : 'mainstem config set model PROVIDER/MODEL'
  return `First start: everything is kept in ${home}. The model is ${what}; ${change} changes it. ${agentsFile(home)} describes your assistant.`
}
