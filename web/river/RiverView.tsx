import { useCallback, useMemo, useState } from 'react'
import { Page } from '../app/Page.tsx'
import { now } from '../api/now.ts'
import { Button } from '../ui/button.tsx'
import { Chip, Empty, Loading, Problem } from '../ui/surface.tsx'
import { useNow } from '../ui/time.tsx'
import { River } from './River.tsx'
import { useScene } from './use-scene.ts'
import { useWindow } from './use-window.ts'
import { endingNow, SPANS, windowText, type SpanName, type Window } from './window.ts'

export default function RiverView() {
  const { window, setWindow } = useWindow()
  const { scene, error, retry } = useScene(window)
  const [isFollowing, setFollowing] = useState(true)
  const time = useNow()
  const shown = useMemo(() => {
    const span = window.to - window.from
    return isFollowing ? endingNow(span, time) : window
  }, [window, isFollowing, time])
  const change = useCallback(
    (next: Window) => {
      setFollowing(false)
      setWindow(next)
    },
    [setWindow],
  )
  const show = (name: SpanName): void => {
    setFollowing(true)
    setWindow(endingNow(SPANS[name], now()))
  }
  return (
    <Page
      title="River"
      fill="bare"
      chips={<Chip>{windowText(shown)}</Chip>}
      actions={(Object.keys(SPANS) as SpanName[]).map((name) => (
        <SpanButton key={name} name={name} window={shown} onShow={() => show(name)} />
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
        <River scene={scene} window={shown} onWindow={change} onShow={show} />
      )}
    </Page>
  )
}

function SpanButton({
  name,
  window: { from, to },
  onShow,
}: {
  readonly name: SpanName
  readonly window: Window
  readonly onShow: () => void
}) {
  const isShown = Math.abs((to - from) / SPANS[name] - 1) < 0.01
  return (
    <Button look={isShown ? 'main' : 'plain'} aria-pressed={isShown} onClick={onShow}>
      {name}
    </Button>
  )
}
