import { useEffect } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { overlay } from './overlay.ts'
import { views } from './routes.tsx'

export const isMac = /mac|iphone|ipad/i.test(navigator.platform)

/** For the list of keys: what they do, and which they are. */
export const keyList: readonly (readonly [help: string, ...keys: string[]])[] = [
  ['Find a view, a command, a mark, a branch, or anything ever said', isMac ? '⌘' : 'Ctrl', 'K'],
  ['Go to the message box', 'i'],
  ['Search memory', '/'],
  ...views.map(({ title, key }) => [`Go to ${title}`, 'g', key] as const),
  ['Send the message', 'Enter'],
  ['Start a new line', 'Shift', 'Enter'],
  ['Bring back what you sent before', '↑'],
  ['Go to another turn (Context); pan, and choose (River)', '←', '→', '↑', '↓'],
  ['Zoom (River)', '+', '−'],
  ['Open the menu of a message', 'Menu'],
  ['Close a dialog or a list; in the chat, stop the answer', 'Esc'],
  ['Show this list', '?'],
]

const PATIENCE_MS = 1_200

/** Keys that work everywhere, unless somebody is typing. */
export function useKeys(): void {
  useEffect(() => {
    let awaitedUntil = 0
    const pressed = (event: KeyboardEvent): void => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        return overlay.set('palette')
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return
      const isAwaited = event.timeStamp < awaitedUntil
      awaitedUntil = 0
      if (isAwaited) goTo(views.find(({ key }) => key === event.key)?.name, event)
      else if (event.key === 'g') awaitedUntil = event.timeStamp + PATIENCE_MS
      else if (event.key === '?') overlay.set('keys')
      else if (event.key === '/') goTo('memory', event)
      else if (event.key === 'i') goTo('chat', event)
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [])
}

/** To the view, or to its text field if it is shown already. */
function goTo(view: string | undefined, event: KeyboardEvent): void {
  if (view === undefined) return
  event.preventDefault()
  if (location.pathname.split('/')[1] !== view) navigate(`/${view}`)
  document.querySelector<HTMLElement>('#view textarea, #view input[type="search"]')?.focus()
}

/** In a field. In a dialog or a menu too, letters have another meaning. */
function isTyping(target: EventTarget | null): boolean {
  const busy = 'input, textarea, select, dialog, [role="menu"], [role="listbox"]'
  return target instanceof HTMLElement && target.closest(busy) !== null
}
