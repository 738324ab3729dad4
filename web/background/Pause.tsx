import { Pause, Play } from 'lucide-react'
import { useCommand } from '../api/act.ts'
import { Button, CommandButton } from '../ui/button.tsx'
import { Menu, MenuItem } from '../ui/Menu.tsx'
import { Time } from '../ui/time.tsx'

const PAUSES = [
  ['For an hour', ' 1h'],
  ['For four hours', ' 4h'],
  ['For a day', ' 1d'],
  ['Until tomorrow 8:00', ' until tomorrow 8:00'],
  ['Until I resume', ''],
] as const

interface PauseProps {
  /** `all`, or a job such as `routine inbox` */
  readonly what: string
  readonly isPaused: boolean
  readonly small?: boolean
}

export function PauseButton({ what, isPaused, small = false }: PauseProps) {
  const { mutate } = useCommand()
  const all = what === 'all' ? ' all' : ''
  if (isPaused)
    return (
      <CommandButton small={small} line={`/resume ${what}`}>
        <Play />
        Resume{all}
      </CommandButton>
    )
  const button = (
    <Button small={small}>
      <Pause />
      Pause{all}
    </Button>
  )
  return (
    <Menu align="end" trigger={button}>
      {PAUSES.map(([words, time]) => (
        <MenuItem key={words} onSelect={() => mutate({ text: `/pause ${what}${time}` })}>
          {words}
        </MenuItem>
      ))}
    </Menu>
  )
}

/** `until Mon 16 Nov 08:00` */
export function Until({ end }: { end: boolean | string }) {
  if (typeof end === 'boolean') return 'until you resume'
  return (
    <>
      until <Time at={end} as="both" />
    </>
  )
}
