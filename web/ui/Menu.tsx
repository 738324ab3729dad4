import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'
import style from './menu.module.css'

interface MenuProps {
  /** A button that opens it. */
  readonly trigger: ReactNode
  readonly align?: 'start' | 'end'
  readonly children: ReactNode
}

export function Menu({ trigger, align = 'start', children }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={style.menu} align={align} sideOffset={4} collisionPadding={8}>
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

interface MenuItemProps {
  readonly icon?: ReactNode
  readonly tone?: 'plain' | 'danger'
  readonly disabled?: boolean
  readonly onSelect: () => unknown
  readonly children: ReactNode
}

export function MenuItem({ icon, tone = 'plain', disabled = false, onSelect, children }: MenuItemProps) {
  return (
    <DropdownMenu.Item
      className={style.item}
      data-tone={tone}
      disabled={disabled}
      onSelect={() => void onSelect()}
    >
      {icon}
      {children}
    </DropdownMenu.Item>
  )
}

/** One of several, such as a theme. */
export function MenuChoice({
  value,
  choices,
  onChoose,
}: {
  readonly value: string
  readonly choices: readonly (readonly [value: string, label: string])[]
  readonly onChoose: (value: string) => void
}) {
  return (
    <DropdownMenu.RadioGroup value={value} onValueChange={onChoose}>
      {choices.map(([name, label]) => (
        <DropdownMenu.RadioItem key={name} value={name} className={style.item}>
          <span className={style.check}>
            <DropdownMenu.ItemIndicator>✓</DropdownMenu.ItemIndicator>
          </span>
          {label}
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  )
}
