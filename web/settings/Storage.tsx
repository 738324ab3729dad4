import { useRead } from '../api/query.ts'
import { useTheme, type Theme } from '../app/theme.ts'
import { CopyButton } from '../text/Code.tsx'
import { bytesText, counted } from '../ui/numbers.ts'
import { Card, CardHead, ChipButton, Shown } from '../ui/surface.tsx'
import { SettingsOf } from './AllSettings.tsx'
import style from './settings.module.css'

interface Stored {
  readonly home: string
  readonly workspace: string
  readonly config: string
  readonly log: { readonly file: string; readonly bytes: number; readonly events: number }
  readonly index: { readonly bytes: number }
  readonly files: { readonly folder: string; readonly count: number; readonly bytes: number }
  readonly freeBytes: number
}

/** Where everything is, how large it is, and how to take it along. */
export function Storage() {
  const stored = useRead<Stored>('/api/storage')
  return (
    <>
      <Card>
        <CardHead title="Storage" />
        <Shown of={stored}>
          {({ home, workspace, config, log, index, files, freeBytes }) => (
            <dl className={style.facts}>
              <Fact name="Home" path={home}>
                {bytesText(freeBytes)} free on its disk
              </Fact>
              <Fact name="Log" path={log.file}>
                {bytesText(log.bytes)}, {counted(log.events, 'event')}
              </Fact>
              <Fact name="Search index">{bytesText(index.bytes)}; can be rebuilt from the log</Fact>
              <Fact name="Files" path={files.folder}>
                {counted(files.count, 'file')}, {bytesText(files.bytes)}
              </Fact>
              <Fact name="Workspace" path={workspace} />
              <Fact name="Settings" path={config} />
            </dl>
          )}
        </Shown>
      </Card>
      <Card>
        <CardHead title="On the machine" />
        <ul className={style.rows}>
          {COMMANDS.map(([command, means]) => (
            <li key={command} className={style.row}>
              <code>{command}</code>
              <CopyButton text={command} />
              <span className={style.about}>{means}</span>
            </li>
          ))}
        </ul>
      </Card>
      <Look />
      <SettingsOf groups={['Server']} />
    </>
  )
}

const COMMANDS = [
  ['mainstem export > mainstem.jsonl', 'writes everything that was ever said, with its files, to one file'],
  ['mainstem import mainstem.jsonl', 'takes such a file into an empty home; nothing in it acts'],
  ['mainstem doctor', 'checks that the log is whole; changes nothing'],
] as const

function Fact({
  name,
  path,
  children,
}: {
  readonly name: string
  readonly path?: string
  readonly children?: React.ReactNode
}) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {children}
        {path !== undefined && (
          <span>
            <code>{path}</code>
            <CopyButton text={path} />
          </span>
        )}
      </dd>
    </>
  )
}

function Look() {
  const [theme, choose] = useTheme()
  const themes: readonly Theme[] = ['system', 'light', 'dark']
  return (
    <Card>
      <CardHead title="Colours of this page">
        {themes.map((one) => (
          <ChipButton key={one} pressed={one === theme} onClick={() => choose(one)}>
            {one === 'system' ? 'as the system' : one}
          </ChipButton>
        ))}
      </CardHead>
    </Card>
  )
}
