import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { ChipButton, Empty, Shown } from '../ui/surface.tsx'
import { isAbout, useSettings, type Setting } from './setting.ts'
import { SettingGroup } from './SettingRow.tsx'
import style from './settings.module.css'

export function AllSettings() {
  const settings = useSettings()
  const [params, setParams] = useSearchParams()
  const [isChanged, setChanged] = useState(false)
  const sought = params.get('q') ?? ''
  return (
    <>
      <search className={style.search}>
        <input
          type="search"
          aria-label="Search settings"
          placeholder="Search settings"
          value={sought}
          onChange={({ target }) =>
            setParams(target.value === '' ? {} : { q: target.value }, { replace: true })
          }
        />
        <ChipButton pressed={isChanged} onClick={() => setChanged(!isChanged)}>
          only what is set
        </ChipButton>
      </search>
      <Shown of={settings}>
        {(all) => (
          <Groups
            settings={all.filter(
              (setting) => isAbout(setting, sought) && (!isChanged || setting.source.kind !== 'default'),
            )}
          />
        )}
      </Shown>
    </>
  )
}

function Groups({ settings }: { readonly settings: readonly Setting[] }) {
  const groups = [...Map.groupBy(settings, ({ group }) => group)]
  if (groups.length === 0)
    return (
      <Empty title="No setting is about that">
        <p>Keys, explanations and names in the environment are searched.</p>
      </Empty>
    )
  return groups.map(([group, own]) => <SettingGroup key={group} title={group} settings={own} />)
}

/** The settings of a group, below what they are about. */
export function SettingsOf({ groups }: { readonly groups: readonly string[] }) {
  const { data = [] } = useSettings()
  return groups.map((group) => {
    const own = data.filter((setting) => setting.group === group)
    return own.length === 0 ? null : <SettingGroup key={group} title={`Settings · ${group}`} settings={own} />
  })
}
