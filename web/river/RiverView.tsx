import { Page } from '../app/Page.tsx'
import { now } from '../api/now.ts'
import { Button } from '../ui/button.tsx'
import { Chip, Empty, Loading, Problem } from '../ui/surface.tsx'
import style from './river.module.css'
import { River } from './River.tsx'
import { useScene } from './use-scene.ts'
import { useWindow } from './use-window.ts'
import { SPANS, wholeSpan, windowText, type SpanName, type Window } from './window.ts'

export default function RiverView() {
  const { window, setWindow, follow } = useWindow()
  const { scene, error, retry } = useScene(window)
  const spanOf = (name: SpanName): number => wholeSpan(SPANS[name], now() - (scene?.since ?? 0))
  return (
    <Page
      title="River"
      fill="bare"
      chips={<Chip className={style.span}>{windowText(window)}</Chip>}
      actions={(Object.keys(SPANS) as SpanName[]).map((name) => (
        <SpanButton
          key={name}
          {...{ name, window }}
          span={spanOf(name)}
          onShow={() => follow(spanOf(name))}
        />
      ))}
    >
      {scene === undefined ? (
        error === null ? (
          <Loading />
        ) : error.status === 404 ? (
          <Empty title="Nothing flows yet">
            <p>
              Say something in the chat. Then main begins here, and forks, runs and pings appear beside it.
            </p>
          </Empty>
        ) : (
          <Problem error={error} retry={retry} />
        )
      ) : (
        <River
          scene={scene}
          window={window}
          onWindow={setWindow}
          onNow={() => follow(window.to - window.from)}
        />
      )}
    </Page>
  )
}

interface SpanButtonProps {
  readonly name: SpanName
  readonly span: number
  readonly window: Window
  readonly onShow: () => void
}

function SpanButton({ name, span, window: { from, to }, onShow }: SpanButtonProps) {
  const isShown = Math.abs((to - from) / span - 1) < 0.01
  return (
    <Button look={isShown ? 'main' : 'plain'} aria-pressed={isShown} onClick={onShow}>
      {name}
    </Button>
  )
}
