import { Monitor, Moon, Sun } from 'lucide-react'
import { Store } from '../api/store.ts'

type Theme = keyof typeof THEMES

export const THEMES = {
  system: { words: 'Colours of the system', icon: Monitor, next: 'light' },
  light: { words: 'Light colours', icon: Sun, next: 'dark' },
  dark: { words: 'Dark colours', icon: Moon, next: 'system' },
} as const

const KEY = 'mainstem-theme'
const stored = localStorage.getItem(KEY)

export const theme = new Store<Theme>(stored === 'light' || stored === 'dark' ? stored : 'system')
applyTheme()

export function setTheme(next: Theme): void {
  localStorage.setItem(KEY, next)
  theme.set(next)
  applyTheme()
}

/** Every colour follows from it (style/tokens.css). */
function applyTheme(): void {
  document.documentElement.style.colorScheme = theme.get() === 'system' ? '' : theme.get()
}
