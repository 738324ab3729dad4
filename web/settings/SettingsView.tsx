import type { ComponentType } from 'react'
import { Link, useRoute } from 'wouter'
import { Page } from '../app/Page.tsx'
import { Empty } from '../ui/surface.tsx'
import { AllSettings } from './AllSettings.tsx'
import { Browsers } from './Browsers.tsx'
import { People } from './People.tsx'
import { Models } from './Models.tsx'
import style from './settings.module.css'
import { Storage } from './Storage.tsx'
import { Tools } from './Tools.tsx'

const sections: readonly {
  readonly name: string
  readonly title: string
  readonly component: ComponentType
}[] = [
  { name: 'models', title: 'Models', component: Models },
  { name: 'people', title: 'Channels and people', component: People },
  { name: 'tools', title: 'Skills and tools', component: Tools },
  { name: 'browsers', title: 'Browsers', component: Browsers },
  { name: 'storage', title: 'Storage', component: Storage },
  { name: 'all', title: 'All settings', component: AllSettings },
]

/** On a phone the list is wider than the screen. */
function intoView(link: HTMLElement | null): void {
  link?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}

export default function SettingsView() {
  const [, params] = useRoute('/settings/:section?')
  const wanted = params?.section ?? 'models'
  const section = sections.find(({ name }) => name === wanted)
  const Section = section?.component
  return (
    <Page title="Settings">
      <div className={style.settings}>
        <nav className={style.nav} aria-label="Settings">
          {sections.map(({ name, title }) => (
            <Link
              key={name}
              ref={name === wanted ? intoView : undefined}
              href={`/settings/${name}`}
              aria-current={name === wanted ? 'page' : undefined}
            >
              {title}
            </Link>
          ))}
        </nav>
        <div className={style.section}>
          {Section === undefined ? (
            <Empty title={`There are no settings called “${wanted}”`}>
              <Link href="/settings">Go to the models</Link>
            </Empty>
          ) : (
            <Section />
          )}
        </div>
      </div>
    </Page>
  )
}
