import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'
import style from './ui.module.css'

export interface MenuItem {
  readonly words: string
  readonly act: () => void
  readonly tone?: 'bad'
}

/** A button with a list of acts below it. `children` is the button. */
export function Menu({
  items,
  children,
}: {
  readonly items: readonly MenuItem[]
  readonly children: ReactNode
}) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{children}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={style.menu} align="end" sideOffset={4} collisionPadding={8}>
          {items.map(({ words, act, tone }) => (
            <DropdownMenu.Item key={words} className={style.menuItem} data-tone={tone} onSelect={act}>
              {words}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
