import type { ValueType } from './type/value-type.ts'

export interface Parameter<Value = unknown> {
  readonly group: Group
  /** Whether a process that runs takes over a new value with its next turn, by /reload, or only at its next start. */
  readonly change: 'live' | 'reload' | 'restart'
  readonly type: ValueType<Value>
  readonly default: Value
  readonly help: string
  readonly isSecret?: boolean
  /** Names in the environment that other programs use for the same thing. */
  readonly usualNames?: readonly string[]
}

export type Group = (typeof groups)[number]
export const groups = [
  'Model',
  'Turns',
  'Context',
  'Recall',
  'Tools',
  'Branches',
  'Background',
  'Failures',
  'Providers',
] as const

/** The default's type follows from that of the values. */
export function parameter<Value>(
  entry: Omit<Parameter<Value>, 'default'> & { readonly default: NoInfer<Value> },
): Parameter<Value> {
  return entry
}
