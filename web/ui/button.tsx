import type { ComponentProps } from 'react'
import style from './ui.module.css'

interface Look {
  readonly look?: 'main' | 'plain' | 'bare' | 'danger' | 'text'
  readonly small?: boolean
}

/** `look="main"`: the one thing most people come for; `text`: looks like a link. */
export function Button({
  look = 'plain',
  small = false,
  className = '',
  ...rest
}: ComponentProps<'button'> & Look) {
  return <button type="button" className={`${buttonClass(look, small)} ${className}`} {...rest} />
}

/** For links that look like buttons. */
export function buttonClass(look: NonNullable<Look['look']> = 'plain', small = false): string {
  return `${style.button} ${look === 'plain' ? '' : style[look]} ${small ? style.small : ''}`
}
