import { Link, useRoute } from 'wouter'
import { Page } from '../app/Page.tsx'
import { Empty } from '../ui/surface.tsx'
import ui from '../ui/ui.module.css'
import { AllSettings } from './AllSettings.tsx'
import { Browsers } from './Browsers.tsx'
import { Models } from './Models.tsx'
import { People } from './People.tsx'
import style from './settings.module.css'
import { Storage } from './Storage.tsx'
import { Tools } from './Tools.tsx'

const SECTIONS = [
  { name: 'models', title: 'Models', Section: Models },
  { name: 'people', title: 'Channels and people', Section: People },
  { name: 'tools', title: 'Skills and tools', Section: Tools },
  { name: 'browsers', title: 'Browsers', Section: Browsers },
  { name: 'storage', title: 'Storage', Section: Storage },
  { name: 'all', title: 'All settings', Section: AllSettings },
] as const

/** On a phone the list is wider than the screen. */
function intoView(link: HTMLElement | null): void {
  link?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}

export default function SettingsView() {
  const [, params] = useRoute('/settings/:section?')
  const wanted = params?.section ?? 'models'
  const { Section } = SECTIONS.find(({ name }) => name === wanted) ?? {}
  return (
    <Page title="Settings">
      <div className={style.settings}>
        <nav aria-label="Settings">
          {SECTIONS.map(({ name, title }) => (
            <Link
              key={name}
              className={ui.place}
              ref={name === wanted ? intoView : undefined}
              href={`/settings/${name}`}
              aria-current={name === wanted ? 'page' : undefined}
            >
              {title}
            </Link>
          ))}
        </nav>
        <div className={ui.stack}>
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
