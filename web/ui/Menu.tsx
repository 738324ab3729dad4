import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'
import style from './menu.module.css'
import ui from './ui.module.css'

interface MenuProps extends Pick<DropdownMenu.DropdownMenuProps, 'open' | 'onOpenChange'> {
  /** A button that opens it. */
  readonly trigger: ReactNode
  readonly align?: 'start' | 'end'
  readonly children: ReactNode
}

export function Menu({ trigger, align = 'start', children, ...rest }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false} {...rest}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className={`${ui.over} ${style.menu}`}
          align={align}
          sideOffset={4}
          collisionPadding={8}
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

export function MenuItem({ onSelect, children }: { onSelect: () => unknown; children: ReactNode }) {
  return (
    <DropdownMenu.Item className={style.item} onSelect={() => void onSelect()}>
      {children}
    </DropdownMenu.Item>
  )
}

export function MenuLine() {
  return <DropdownMenu.Separator className={style.line} />
}
