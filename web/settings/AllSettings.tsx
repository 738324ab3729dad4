import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { ChipButton, Empty, Shown } from '../ui/surface.tsx'
import ui from '../ui/ui.module.css'
import { ListCard } from './list.tsx'
import { isAbout, useSettings, type Setting } from './setting.ts'
import { SettingRow } from './SettingRow.tsx'
import style from './settings.module.css'

export function AllSettings() {
  const [params, setParams] = useSearchParams()
  const [isChanged, setChanged] = useState(false)
  const sought = params.get('q') ?? ''
  return (
    <>
      <search className={`${ui.row} ${style.search}`}>
        <input
          type="search"
          aria-label="Search settings"
          placeholder="Search settings"
          value={sought}
          onChange={({ target: { value: q } }) => setParams(q === '' ? {} : { q }, { replace: true })}
        />
        <ChipButton pressed={isChanged} onClick={() => setChanged(!isChanged)}>
          changed only
        </ChipButton>
      </search>
      <Shown of={useSettings()}>
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

/** The settings of some groups, below what they are about. */
export function SettingsOf({ groups }: { groups: readonly string[] }) {
  const { data = [] } = useSettings()
  const own = data.filter(({ group }) => groups.includes(group))
  return own.length > 0 && <Groups settings={own} />
}

function Groups({ settings }: { settings: readonly Setting[] }) {
  if (settings.length === 0)
    return (
      <Empty title="No setting matches">
        <p>Keys, explanations and names in the environment are searched.</p>
      </Empty>
    )
  return [...Map.groupBy(settings, ({ group }) => group)].map(([group, own]) => (
    <ListCard key={group} title={`Settings · ${group}`}>
      {own.map((setting) => (
        <SettingRow key={setting.key} setting={setting} />
      ))}
    </ListCard>
  ))
}
