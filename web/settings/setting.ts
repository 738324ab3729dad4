import { useMutation } from '@tanstack/react-query'
import { post, type ApiError } from '../api/client.ts'
import { queries, useRead } from '../api/query.ts'
import { toast } from '../ui/toast.ts'

/** As /api/config has it. Of a secret it only says whether it is set. */
export interface Setting {
  readonly key: string
  readonly group: string
  readonly help: string
  readonly allowed: string
  readonly change: 'live' | 'reload' | 'restart'
  readonly environment: readonly string[]
  readonly isSecret: boolean
  readonly isForTerminal: boolean
  readonly choices: readonly string[] | null
  readonly text: string
  readonly defaultText: string
  readonly source:
    | { readonly kind: 'default' | 'keyring' }
    | { readonly kind: 'file' | 'env-file'; readonly path: string; readonly line: number }
    | { readonly kind: 'environment' | 'flag'; readonly name: string }
}

export function useSettings() {
  const read = useRead<Readonly<Record<string, Omit<Setting, 'key'>>>>('/api/config')
  const { data } = read
  const all = data && Object.entries(data).map(([key, setting]): Setting => ({ key, ...setting }))
  return { ...read, data: all }
}

/** Writes config.json, or, without a text, removes a setting from it. */
export function useSetting() {
  return useMutation<
    { said: readonly string[] },
    ApiError,
    { readonly key: string; readonly text: string | null }
  >({
    mutationFn: (change) => post('/api/config', change),
    onSuccess: ({ said }) => {
      toast(said.join('\n'))
      void queries.invalidateQueries()
    },
  })
}

export const TAKES_EFFECT = {
  live: 'with the next turn',
  reload: 'after a restart or /reload',
  restart: 'after a restart',
} as const

/** Where a value comes from; a line of a file if it is one. */
export function sourceText(source: Setting['source']): string {
  if ('path' in source) return `${source.path.replace(/^.*\//, '')}, line ${source.line}`
  return 'name' in source ? source.name : source.kind
}

/** Set where config.json cannot change it. */
export function isPinned({ source: { kind } }: Setting): boolean {
  return kind !== 'default' && kind !== 'file' && kind !== 'keyring'
}

/** Whether every word stands somewhere in what is said about the setting. */
export function isAbout(setting: Setting, sought: string): boolean {
  const { key, group, help, allowed, environment, text } = setting
  const said = [key, group, help, allowed, ...environment, text].join(' ').toLowerCase()
  return sought
    .toLowerCase()
    .split(/\s+/)
    .every((word) => said.includes(word))
}
