import type { skillsView } from '../../src/view/skills-text.ts'
import type { toolsView } from '../../src/view/tools-text.ts'
import { useCommand } from '../api/act.ts'
import { useRead } from '../api/query.ts'
import { Button } from '../ui/button.tsx'
import { counted } from '../ui/numbers.ts'
import { Card, CardHead, Chip, Dot, Shown } from '../ui/surface.tsx'
import { SettingsOf } from './AllSettings.tsx'
import style from './settings.module.css'

type ToolsShown = ReturnType<typeof toolsView>
type SkillsShown = ReturnType<typeof skillsView>

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
            <AllTools tools={all} />
          </>
        )}
      </Shown>
      <SettingsOf groups={['Tools']} />
    </>
  )
}

const MODES = [
  ['dontAsk', 'Built-in tools run, others only if you allowed them. Never asks.'],
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
            <span>
              <b>{name}</b>
              {means}
            </span>
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

function Grants({ grants }: Pick<ToolsShown, 'grants'>) {
  const command = useCommand()
  return (
    <Card>
      <CardHead title="What you allowed" />
      {grants.length === 0 ? (
        <p className={style.teach}>
          Nothing beyond the mode. “Always” under a question adds a pattern here, and so does{' '}
          <code>/allow write(notes/*)</code>.
        </p>
      ) : (
        <ul className={style.rows}>
          {grants.map(({ pattern, origin, state }) => (
            <li key={pattern} className={style.row}>
              <Dot tone={state === 'standing' ? 'good' : 'none'} />
              <code>{pattern}</code>
              {origin !== null && <OriginChip origin={origin} />}
              <span className={style.about}>{STATES[state]}</span>
              <Button
                small
                disabled={command.isPending}
                onClick={() => command.mutate({ text: `/disallow ${pattern}` })}
              >
                Revoke
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

function OriginChip({ origin }: { readonly origin: ToolsShown['tools'][number]['origin'] }) {
  if (origin.kind === 'built-in') return null
  return <Chip>{origin.kind === 'skill' ? `skill ${origin.skill}` : `server ${origin.server}`}</Chip>
}

function Skills({ view: { skills, shipped } }: { readonly view: SkillsShown }) {
  const command = useCommand()
  const left = shipped.filter(({ name }) => !skills.some((skill) => skill.name === name))
  return (
    <Card>
      <CardHead title="Skills">
        <Button small disabled={command.isPending} onClick={() => command.mutate({ text: '/reload' })}>
          Read again
        </Button>
      </CardHead>
      {skills.length === 0 && (
        <p className={style.teach}>
          No skills are loaded. A skill is a folder with a SKILL.md: instructions, and tools if it has any.
        </p>
      )}
      <ul className={style.rows}>
        {skills.map(({ name, state, because, description, tools = [], warnings, directory }) => (
          <li key={directory} className={style.row}>
            <Dot tone={state === 'loaded' ? 'good' : state === 'refused' ? 'bad' : 'none'} />
            <b title={directory}>{name}</b>
            {state !== 'loaded' && <Chip>{state}</Chip>}
            <span className={style.about}>
              {[because, description, ...warnings].filter(Boolean).join(' ')}
              {tools.length > 0 && ` Tools: ${tools.join(', ')}.`}
            </span>
            {tools.length > 0 && (
              <Button
                small
                disabled={command.isPending}
                onClick={() => command.mutate({ text: `/skills allow ${name}` })}
              >
                Allow its tools
              </Button>
            )}
          </li>
        ))}
      </ul>
      {left.length > 0 && (
        <p className={style.foot}>
          Bundled: {left.map(({ name }) => name).join(', ')}. <code>mainstem skills add NAME</code> adds one,
          on the machine itself.
        </p>
      )}
    </Card>
  )
}

function Servers({ servers }: Pick<ToolsShown, 'servers'>) {
  const tones = { connected: 'good', 'not connected': 'none', down: 'bad' } as const
  return (
    <Card>
      <CardHead title="MCP servers" />
      {servers.length === 0 ? (
        <p className={style.teach}>
          None. <code>mainstem mcp add NAME COMMAND</code> adds one, on the machine itself.
        </p>
      ) : (
        <ul className={style.rows}>
          {servers.map(({ server, state, tools, problem }) => (
            <li key={server} className={style.row}>
              <Dot tone={tones[state]} />
              <b>{server}</b>
              <span className={style.about}>
                {state === 'not connected' ? 'starts with the next call' : state}, {counted(tools, 'tool')}
                {problem !== undefined && `; ${problem}`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

function AllTools({ tools }: Pick<ToolsShown, 'tools'>) {
  return (
    <Card>
      <CardHead title={`Tools, ${tools.length}`} />
      <ul className={style.rows}>
        {tools.map(({ name, origin, fate, description }) => (
          <li key={name} className={style.tool}>
            <code>{name}</code>
            <span>
              {fate} <OriginChip origin={origin} />
            </span>
            <span className={style.about} title={description}>
              {description}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
