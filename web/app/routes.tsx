import {
  Activity,
  CircleDollarSign,
  Layers,
  ListChecks,
  MessageCircle,
  Search,
  Settings,
  Waves,
  type LucideIcon,
} from 'lucide-react'
import type { ComponentType } from 'react'
import { later, type Later } from './later.tsx'

export interface View {
  /** The first part of its address. */
  readonly name: string
  readonly title: string
  readonly icon: LucideIcon
  readonly place: 'top' | 'bottom'
  readonly component: Later
}

/** In the order of the rail. What follows the name in an address is the view's own. */
export const views: readonly View[] = [
  view('chat', 'Chat', MessageCircle, () => import('../chat/ChatView.tsx')),
  view('context', 'Context', Layers, () => import('../context/ContextView.tsx')),
  view('river', 'River', Waves, () => import('../river/RiverView.tsx')),
  view('background', 'Background', Activity, () => import('../background/BackgroundView.tsx')),
  view('memory', 'Memory', Search, () => import('../memory/MemoryView.tsx')),
  view('tasks', 'Tasks', ListChecks, () => import('../tasks/TasksView.tsx')),
  { ...view('cost', 'Cost', CircleDollarSign, () => import('../cost/CostView.tsx')), place: 'bottom' },
  {
    ...view('settings', 'Settings', Settings, () => import('../settings/SettingsView.tsx')),
    place: 'bottom',
  },
]

// oxlint-disable-next-line max-params
function view(
  name: string,
  title: string,
  icon: LucideIcon,
  load: () => Promise<{ default: ComponentType }>,
): View {
  return { name, title, icon, place: 'top', component: later(load) }
}

/** The view at an address of the page. */
export function viewAt(path: string): View | undefined {
  return views.find(({ name }) => path === `/${name}` || path.startsWith(`/${name}/`))
}
