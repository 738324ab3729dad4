import type { skillsView } from '../../src/view/skills-text.ts'
import type { toolsView } from '../../src/view/tools-text.ts'
import { useCommand } from '../api/act.ts'
import { useRead } from '../api/query.ts'
import { CommandButton } from '../ui/button.tsx'
import { counted } from '../ui/numbers.ts'
import { Card, CardHead, Shown } from '../ui/surface.tsx'
import ui from '../ui/ui.module.css'
import { SettingsOf } from './AllSettings.tsx'
import { ListCard, ListRow } from './list.tsx'
import style from './settings.module.css'

type ToolsShown = ReturnType<typeof toolsView>
type SkillsShown = ReturnType<typeof skillsView>
type Origin = ToolsShown['tools'][number]['origin']

export function Tools() {
  const tools = useRead<ToolsShown>('/api/tools', {}, { on: ['permission', 'setup', 'command-run'] })
  const skills = useRead<SkillsShown>('/api/skills', {}, { on: ['setup', 'command-run'] })
  return (
    <>
      <Shown of={tools}>
        {({ mode, grants }) => (
          <>
            <Mode mode={mode} />
            <Grants grants={grants} />
          </>
        )}
      </Shown>
      <Shown of={skills}>{(view) => <Skills view={view} />}</Shown>
      <Shown of={tools}>
        {({ servers, tools: all }) => (
          <>
            <Servers servers={servers} />
            <ListCard title={`Tools, ${all.length}`}>
              {all.map(({ name, origin, fate, description }) => (
                <li key={name} className={style.tool}>
                  <code>{name}</code>
                  <span>{[fate, originText(origin)].filter(Boolean).join(' · ')}</span>
                  <span className={`${ui.note} ${ui.clip}`} title={description}>
                    {description}
                  </span>
                </li>
              ))}
            </ListCard>
          </>
        )}
      </Shown>
      <SettingsOf groups={['Tools']} />
    </>
  )
}

function originText(origin: Origin | null): string | undefined {
  if (origin === null || origin.kind === 'built-in') return undefined
  return origin.kind === 'skill' ? `skill ${origin.skill}` : `server ${origin.server}`
}

const MODES = [
  ['dontAsk', 'Built-in tools run, others only if you allowed them. Asks about addresses that nobody gave.'],
  ['default', 'Asks before writing files, reaching the web or running a program.'],
  ['acceptEdits', 'The same, but files may be written without asking.'],
  ['bypassPermissions', 'Everything runs without asking. Can only be chosen in the terminal.'],
] as const

function Mode({ mode }: Pick<ToolsShown, 'mode'>) {
  const command = useCommand()
  return (
    <Card>
      <CardHead title="Permissions" />
      <div className={style.modes} role="radiogroup" aria-label="Permissions">
        {MODES.map(([name, means]) => (
          <label key={name}>
            <input
              type="radio"
              name="mode"
              checked={mode === name}
              disabled={command.isPending || (name === 'bypassPermissions' && mode !== name)}
              onChange={() => command.mutate({ text: `/permissions ${name}` })}
            />
            <b>{name}</b>
            <small>{means}</small>
          </label>
        ))}
      </div>
    </Card>
  )
}

const STATES = {
  standing: '',
  changed: 'the tool has changed since: allow it again',
  gone: 'there is no such tool now',
} as const

const NO_GRANT = (
  <>
    Nothing beyond the mode. “Always” under a question adds a pattern here, and so does{' '}
    <code>/allow write(notes/*)</code>.
  </>
)

function Grants({ grants }: Pick<ToolsShown, 'grants'>) {
  return (
    <ListCard title="What you allowed" none={NO_GRANT}>
      {grants.map(({ pattern, origin, state }) => (
        <ListRow
          key={pattern}
          tone={state === 'standing' ? 'good' : 'none'}
          name={<code>{pattern}</code>}
          chip={originText(origin)}
          about={STATES[state]}
        >
          <CommandButton line={`/disallow ${pattern}`}>Revoke</CommandButton>
        </ListRow>
      ))}
    </ListCard>
  )
}

const NO_SKILL =
  'No skills are loaded. A skill is a folder with a SKILL.md: instructions, and tools if it has any.'

function Skills({ view: { skills, shipped } }: { view: SkillsShown }) {
  const left = shipped.filter(({ name }) => !skills.some((skill) => skill.name === name))
  const bundled = left.length > 0 && (
    <>
      Bundled: {left.map(({ name }) => name).join(', ')}. <code>mainstem skills add NAME</code> adds one, on
      the machine itself.
    </>
  )
  return (
    <ListCard
      title="Skills"
      head={<CommandButton line="/reload">Reload</CommandButton>}
      none={NO_SKILL}
      foot={bundled || undefined}
    >
      {skills.map(({ name, state, because, description, tools = [], warnings, directory }) => (
        <ListRow
          key={directory}
          tone={state === 'loaded' ? 'good' : state === 'refused' ? 'bad' : 'none'}
          name={<span title={directory}>{name}</span>}
          chip={state !== 'loaded' && state}
          about={[because, description, ...warnings, tools.length > 0 && `Tools: ${tools.join(', ')}.`]
            .filter(Boolean)
            .join(' ')}
        >
          {tools.length > 0 && <CommandButton line={`/skills allow ${name}`}>Allow its tools</CommandButton>}
        </ListRow>
      ))}
    </ListCard>
  )
}

const NO_SERVER = (
  <>
    None. <code>mainstem mcp add NAME COMMAND</code> adds one, on the machine itself.
  </>
)

const TONES = { connected: 'good', 'not connected': 'none', down: 'bad' } as const

function Servers({ servers }: Pick<ToolsShown, 'servers'>) {
  return (
    <ListCard title="MCP servers" none={NO_SERVER}>
      {servers.map(({ server, state, tools, problem }) => (
        <ListRow
          key={server}
          tone={TONES[state]}
          name={server}
          about={[
            state === 'not connected' ? 'starts with the next call' : state,
            counted(tools, 'tool'),
            ...(problem === undefined ? [] : [problem]),
          ].join(', ')}
        />
      ))}
    </ListCard>
  )
}
