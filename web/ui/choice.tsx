import { ChipButton } from './surface.tsx'
import style from './ui.module.css'

interface ChoiceProps<T extends string> {
  readonly label: string
  /** Values and their words. An empty value is no choice. */
  readonly options: Iterable<readonly [value: T, words: string]>
  readonly value: T
  readonly choose: (value: T) => void
}

/** One of many, such as a filter. */
export function Choice<T extends string>({ label, options, value, choose }: ChoiceProps<T>) {
  const all = [...options]
  return (
    <select
      className={style.select}
      aria-label={label}
      value={value}
      data-set={value !== '' && all.some(([one]) => one === '')}
      onChange={({ target }) => choose(target.value as T)}
    >
      {all.map(([one, words]) => (
        <option key={one} value={one}>
          {words}
        </option>
      ))}
    </select>
  )
}

/** One of few, side by side. */
export function ChipChoice<T extends string>({ label, options, value, choose }: ChoiceProps<T>) {
  return (
    <span className={style.row} role="group" aria-label={label}>
      {Array.from(options, ([one, words]) => (
        <ChipButton key={one} pressed={value === one} onClick={() => choose(one)}>
          {words}
        </ChipButton>
      ))}
    </span>
  )
}
