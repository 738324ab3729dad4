import { shelved } from '../../../src/schedule/shelving.ts'
import type { Around } from './around.ts'
import { short } from './around.ts'
import {
  brokenText,
  chore,
  edited,
  planText,
  somePlan,
  type Plan,
  type PlanParts,
} from './sim-definitions.ts'

const CHORES = 2
const NOTHING = { kind: 'routine', person: null, model: null } as const

/** The person editing job files: adds, edits, breaks, fixes and removes them, whether a process lives or not. */
export class Planner {
  readonly #around: Around
  /** By file, as last intended. */
  readonly #plans = new Map<string, Plan>()

  constructor(around: Around) {
    this.#around = around
  }

  async act(): Promise<void> {
    const { chance, happenings } = this.#around
    const plan = this.#somePlan()
    const act = chance.weighted([
      [8, 'add'],
      [4, 'edit'],
      [2, 'break'],
      [3, 'mend'],
      [2, 'remove'],
      [1, 'copy'],
    ] as const)
    if (plan === undefined || act === 'add') return this.#put(somePlan(this.#parts))
    switch (act) {
      case 'edit':
        happenings.add('files of jobs edited')
        return this.#put(edited(plan, this.#parts))
      case 'mend':
        return this.#put(plan)
      case 'break':
        happenings.add('files of jobs broken')
        return this.#write(plan.file, brokenText(plan, chance))
      case 'remove':
        happenings.add('files of jobs removed by hand')
        return this.#remove(plan.file)
      case 'copy':
        return this.#copy(plan)
    }
  }

  /** Some recurring jobs, beside everything else. */
  async chores(): Promise<void> {
    for (let count = 0; count < CHORES; count++) await this.#put(chore(this.#parts, `daily-${count}`))
  }

  /** Ends all recurring jobs and fixes all files. */
  endRoutines(): void {
    const { disk } = this.#around
    for (const [file, found] of disk.files) {
      const { kind, person, model } = 'job' in found ? found.job.definition : NOTHING
      if (kind !== 'reminder' || person !== null || model !== null) this.#remove(file)
    }
  }

  get #parts(): PlanParts {
    const { chance, number, clock, config } = this.#around
    return { chance, number, now: clock.now(), zone: config.settings.zone }
  }

  #somePlan(): Plan | undefined {
    const plans = [...this.#plans.values()]
    return plans.length === 0 ? undefined : this.#around.chance.pick(plans.slice(-6))
  }

  #put(plan: Plan): Promise<void> {
    this.#plans.delete(plan.file)
    this.#plans.set(plan.file, plan)
    return this.#write(plan.file, planText(plan))
  }

  /** Makes two files with the same id. */
  #copy(plan: Plan): Promise<void> {
    const [, id = ''] = /\/(.*)\.md$/.exec(plan.file) ?? []
    const file = plan.file.replace('.md', '-copy.md')
    return this.#put({ ...plan, file, fields: new Map([...plan.fields, ['id', id]]) })
  }

  async #write(file: string, text: string): Promise<void> {
    const { clock, disk, story } = this.#around
    const found = await shelved({ file, text, changedAt: clock.now() })
    story.push(`-- ${file} is put there: ${short(text)} --`)
    disk.put(file, found)
    this.#around.stirs()
  }

  #remove(file: string): void {
    const { disk, story } = this.#around
    if (!disk.remove(file)) return
    story.push(`-- ${file} is taken away --`)
    this.#around.stirs()
  }
}
