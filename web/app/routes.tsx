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
import { later, type Load } from './later.tsx'

export type View = ReturnType<typeof view>

/** In the order of the rail. What follows the name in an address is the view's own. */
export const views: readonly View[] = [
  view({ name: 'chat', key: 'c', icon: MessageCircle }, () => import('../chat/ChatView.tsx')),
  view({ name: 'context', key: 'x', icon: Layers }, () => import('../context/ContextView.tsx')),
  view({ name: 'river', key: 'r', icon: Waves }, () => import('../river/RiverView.tsx')),
  view({ name: 'background', key: 'b', icon: Activity }, () => import('../background/BackgroundView.tsx')),
  view({ name: 'memory', key: 'm', icon: Search }, () => import('../memory/MemoryView.tsx')),
  view({ name: 'tasks', key: 't', icon: ListChecks }, () => import('../tasks/TasksView.tsx')),
  view({ name: 'cost', key: 'o', icon: CircleDollarSign }, () => import('../cost/CostView.tsx')),
  view({ name: 'settings', key: 's', icon: Settings }, () => import('../settings/SettingsView.tsx')),
]

/** `name`: the first part of its address; `key`: opens it, after `g`. */
function view({ name, ...about }: { name: string; key: string; icon: LucideIcon }, load: Load) {
  return { ...about, name, title: name.charAt(0).toUpperCase() + name.slice(1), component: later(load) }
}

/** The view at an address of the page. */
export function viewAt(path: string): View | undefined {
  return views.find(({ name }) => path === `/${name}` || path.startsWith(`/${name}/`))
}
