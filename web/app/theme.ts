import { useState } from 'react'

export type Theme = 'system' | 'light' | 'dark'

const KEY = 'mainstem-theme'

export function storedTheme(): Theme {
  const stored = localStorage.getItem(KEY)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

/** Every colour follows from it (style/tokens.css). */
export function applyTheme(theme: Theme): void {
  document.documentElement.style.colorScheme = theme === 'system' ? '' : theme
}

export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(storedTheme)
  const choose = (next: Theme): void => {
    localStorage.setItem(KEY, next)
    applyTheme(next)
    setTheme(next)
    // A canvas does not notice by itself.
    dispatchEvent(new Event('mainstem-theme'))
  }
  return [theme, choose]
}
