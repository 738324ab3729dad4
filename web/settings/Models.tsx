import { useMutation } from '@tanstack/react-query'
import { useCommand } from '../api/act.ts'
import { post, type ApiError } from '../api/client.ts'
import { useRead } from '../api/query.ts'
import { Button } from '../ui/button.tsx'
import { bytesText, fullCount, shortCount } from '../ui/numbers.ts'
import { Card, CardHead, Chip, Dot, Shown } from '../ui/surface.tsx'
import { SettingsOf } from './AllSettings.tsx'
import style from './settings.module.css'

interface Answer {
  readonly models: readonly Model[]
  readonly embedders: readonly {
    readonly embedder: string
    readonly used: boolean
    readonly state: 'ready' | 'missing'
    readonly bytes: number
    readonly needs: readonly string[]
  }[]
}

interface Model {
  readonly model: string
  readonly from: string
  readonly used: boolean
  readonly contextTokens: number
  readonly price: { readonly perMillionIn: number; readonly perMillionOut: number } | null
}

export function Models() {
  const models = useRead<Answer>('/api/models')
  return (
    <>
      <Shown of={models}>
        {({ models: all, embedders }) => (
          <>
            <Card>
              <CardHead title="Models that answer" />
              <ul className={style.rows}>
                {all.map((model) => (
                  <ModelRow key={model.model} model={model} />
                ))}
              </ul>
              <p className={style.foot}>
                Found by keys, and by local servers (Ollama, LM Studio, llama.cpp). Any other name works too:
                set <code>model</code> below.
              </p>
            </Card>
            <Card>
              <CardHead title="Models that search by meaning" />
              <ul className={style.rows}>
                {embedders.map(({ embedder, used, state, bytes, needs }) => (
                  <li key={embedder} className={style.row}>
                    <Dot tone={used ? (state === 'ready' ? 'good' : 'bad') : 'none'} />
                    <b>{embedder === 'none' ? 'none: by words only' : embedder}</b>
                    {used && <Chip>in use</Chip>}
                    <span className={style.about}>
                      {needs.length > 0 ? `needs ${needs.join('; ')}` : bytes > 0 ? bytesText(bytes) : ''}
                    </span>
                  </li>
                ))}
              </ul>
            </Card>
          </>
        )}
      </Shown>
      <SettingsOf groups={['Model', 'Providers']} />
    </>
  )
}

type Tested = { readonly answer: string; readonly ms: number } | { readonly error: string }

function ModelRow({ model: { model, from, used, contextTokens, price } }: { readonly model: Model }) {
  const command = useCommand()
  const test = useMutation<Tested, ApiError>({ mutationFn: () => post('/api/models/test', { model }) })
  return (
    <li className={style.row}>
      <Dot tone={used ? 'good' : 'none'} />
      <b>{model}</b>
      {used && <Chip>in use</Chip>}
      <span className={style.about}>
        <span title={`${fullCount(contextTokens)} tokens`}>{shortCount(contextTokens)} tokens</span>
        {' · '}
        {price === null ? 'no price' : `$${price.perMillionIn} in, $${price.perMillionOut} out per million`}
        {' · '}
        {from}
      </span>
      <span className={style.acts}>
        <Button small disabled={test.isPending} onClick={() => test.mutate()}>
          {test.isPending ? 'Testing…' : 'Test'}
        </Button>
        {!used && (
          <Button
            small
            disabled={command.isPending}
            onClick={() => command.mutate({ text: `/model ${model}` })}
          >
            Use
          </Button>
        )}
      </span>
      <Outcome tested={test.data ?? (test.error === null ? undefined : { error: test.error.message })} />
    </li>
  )
}

function Outcome({ tested }: { readonly tested: Tested | undefined }) {
  if (tested === undefined) return null
  const isGood = 'answer' in tested
  return (
    <p className={style.outcome} data-tone={isGood ? 'good' : 'bad'} role="status">
      {isGood ? `Answered in ${fullCount(tested.ms)} ms: ${tested.answer}` : tested.error}
    </p>
  )
}
