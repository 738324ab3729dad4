import { useRead } from '../api/query.ts'
import { CopyButton } from '../text/Code.tsx'
import { bytesText, counted } from '../ui/numbers.ts'
import { Shown } from '../ui/surface.tsx'
import ui from '../ui/ui.module.css'
import { SettingsOf } from './AllSettings.tsx'
import { ListCard, ListRow } from './list.tsx'

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
  return (
    <>
      <Shown of={useRead<Stored>('/api/storage')}>
        {(stored) => (
          <ListCard title="Storage">
            {partsOf(stored).map(([name, path, size]) => (
              <ListRow key={name} name={name} about={size}>
                {path !== '' && <Copied text={path} />}
              </ListRow>
            ))}
          </ListCard>
        )}
      </Shown>
      <ListCard title="On the machine">
        {COMMANDS.map(([command, means]) => (
          <ListRow key={command} name={<Copied text={command} />} about={means} />
        ))}
      </ListCard>
      <SettingsOf groups={['Server']} />
    </>
  )
}

function partsOf({ home, workspace, config, log, index, files, freeBytes }: Stored) {
  return [
    ['Home', home, `${bytesText(freeBytes)} free on its disk`],
    ['Log', log.file, `${bytesText(log.bytes)}, ${counted(log.events, 'event')}`],
    ['Search index', '', `${bytesText(index.bytes)}; can be rebuilt from the log`],
    ['Files', files.folder, `${counted(files.count, 'file')}, ${bytesText(files.bytes)}`],
    ['Workspace', workspace, ''],
    ['Settings', config, ''],
  ] as const
}

const COMMANDS = [
  ['mainstem export > mainstem.jsonl', 'writes everything that was ever said, with its files, to one file'],
  ['mainstem import mainstem.jsonl', 'takes such a file into an empty home, as history only'],
  ['mainstem doctor', 'checks that the log is whole; changes nothing'],
] as const

function Copied({ text }: { text: string }) {
  return (
    <span className={ui.row}>
      <code>{text}</code>
      <CopyButton text={text} />
    </span>
  )
}
