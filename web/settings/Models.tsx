import { useMutation } from '@tanstack/react-query'
import type { embeddersView, modelsView } from '../../src/view/models.ts'
import { post, type ApiError } from '../api/client.ts'
import { useRead } from '../api/query.ts'
import { Button, CommandButton } from '../ui/button.tsx'
import { bytesText, fullCount, priceText, shortCount } from '../ui/numbers.ts'
import { Shown } from '../ui/surface.tsx'
import { SettingsOf } from './AllSettings.tsx'
import { ListCard, ListRow } from './list.tsx'
import style from './settings.module.css'

interface Answer {
  readonly models: ReturnType<typeof modelsView>
  readonly embedders: ReturnType<typeof embeddersView>
}

const FOUND = (
  <>
    Found by keys, and by local servers (Ollama, LM Studio, llama.cpp). Any other name works too: set{' '}
    <code>model</code> below.
  </>
)

export function Models() {
  return (
    <>
      <Shown of={useRead<Answer>('/api/models')}>
        {({ models, embedders }) => (
          <>
            <ListCard title="Models that answer" foot={FOUND}>
              {models.map((model) => (
                <ModelRow key={model.model} model={model} />
              ))}
            </ListCard>
            <ListCard title="Models that search by meaning">
              {embedders.map(({ embedder, used, state, bytes, needs }) => (
                <ListRow
                  key={embedder}
                  tone={used ? (state === 'ready' ? 'good' : 'bad') : 'none'}
                  name={embedder === 'none' ? 'none: by words only' : embedder}
                  chip={used && 'in use'}
                  about={needs.length > 0 ? needs.join('; ') : bytes > 0 && bytesText(bytes)}
                />
              ))}
            </ListCard>
          </>
        )}
      </Shown>
      <SettingsOf groups={['Model', 'Providers']} />
    </>
  )
}

type Model = Answer['models'][number]
type Tested = { readonly answer: string; readonly ms: number } | { readonly error: string }

function ModelRow({ model: { model, from, used, contextTokens, price } }: { model: Model }) {
  const { mutate, isPending, data, error } = useMutation<Tested, ApiError>({
    mutationFn: () => post('/api/models/test', { model }),
  })
  const tested = data ?? (error === null ? undefined : { error: error.message })
  const about = (
    <>
      <span title={`${fullCount(contextTokens)} tokens`}>{shortCount(contextTokens)} tokens</span>
      {' · '}
      {priceText(price)}
      {' · '}
      {from}
    </>
  )
  return (
    <ListRow tone={used ? 'good' : 'none'} name={model} chip={used && 'in use'} about={about}>
      <Button small disabled={isPending} onClick={() => mutate()}>
        {isPending ? 'Testing…' : 'Test'}
      </Button>
      {!used && <CommandButton line={`/model ${model}`}>Use</CommandButton>}
      {tested !== undefined && (
        <small className={style.outcome} data-tone={'answer' in tested ? 'good' : 'bad'} role="status">
          {'answer' in tested ? `Answered in ${fullCount(tested.ms)} ms: ${tested.answer}` : tested.error}
        </small>
      )}
    </ListRow>
  )
}
