import type { RiverBranch, RiverThing, RiverView } from '../../src/view/river/river.ts'
import { drawRiver } from '../../web/river/draw.ts'
import { COLOURS, type Look } from '../../web/river/frame.ts'
import { sceneOf } from '../../web/river/scene.ts'
import { DAY, endingNow, moved, zoomed } from '../../web/river/window.ts'

const NOW = Date.UTC(2026, 10, 14)
const DAYS = 365
const [LANES, RUNS, BRANCHES, THINGS, BINS] = [10, 6_000, 10_000, 20_000, 10_000]
const [WIDTH, HEIGHT, SCALE] = [1_280, 752, 2]

const look = {
  ...Object.fromEntries(Object.keys(COLOURS).map((name, index) => [name, `hsl(${index * 27} 50% 50%)`])),
  font: '12.5px sans-serif',
} as Look

/** Milliseconds of each frame while a river of 100,000 events is moved and zoomed. */
export function drawFrames(frames: number): number[] {
  const context = canvas()
  const scene = sceneOf([denseView()])
  if (context === null || scene === undefined) throw new Error('there is no canvas here')
  let window = endingNow(DAYS * DAY, NOW)
  return Array.from({ length: frames }, (_, frame) => {
    const isOut = Math.floor(frame / 40) % 2 === 0
    window = zoomed(window, isOut ? 0.93 : 1 / 0.93, 0.3 + 0.4 * Math.sin(frame / 9))
    window = moved(window, (window.to - window.from) * 0.004 * Math.sin(frame / 5))
    const began = performance.now()
    drawRiver({ context, width: WIDTH, height: HEIGHT, look, scene, window, now: NOW, selected: undefined })
    return performance.now() - began
  })
}

function canvas(): CanvasRenderingContext2D | null {
  const element = document.createElement('canvas')
  element.width = WIDTH * SCALE
  element.height = HEIGHT * SCALE
  document.body.append(element)
  const context = element.getContext('2d')
  context?.scale(SCALE, SCALE)
  return context
}

function timeOf(share: number): number {
  return NOW - DAYS * DAY + share * DAYS * DAY
}

/** Everything listed, as if no server had counted anything. */
function denseView(): RiverView {
  const id = 'br_1m7f6yrrx48190v' as RiverView['main']
  const branchOf = (share: number, about: Partial<RiverBranch>): RiverBranch => ({
    id: `${id}${share}` as RiverBranch['id'],
    handle: '48190v',
    title: 'ferries to Sicily',
    mode: 'fork',
    side: 'up',
    lane: 1,
    parent: { branch: id, side: 'main', lane: 0 },
    from: timeOf(share),
    until: timeOf(share) + 600_000,
    end: 'saved',
    messages: 14,
    ...about,
  })
  const lanes = Array.from({ length: LANES }, (_, index) => index + 1)
  const runs = lanes.flatMap((lane) =>
    Array.from({ length: RUNS }, (_, index) =>
      branchOf((index + lane / LANES) / RUNS, { mode: 'background', side: 'down', lane, end: 'finished' }),
    ),
  )
  const forks = Array.from({ length: BRANCHES }, (_, index) =>
    branchOf(index / BRANCHES, {
      lane: 1 + (index % 6),
      until: timeOf(index / BRANCHES) + (index % 50) * 3_600_000,
    }),
  )
  return {
    main: id,
    from: timeOf(0),
    to: NOW,
    since: timeOf(0),
    binMs: 3_840_000,
    jobs: lanes.map((lane) => ({ lane, job: `routine job-${lane}` })),
    stem: Array.from({ length: BINS }, (_, index) => ({
      at: timeOf(index / BINS),
      count: 1 + (index % 9),
      tokens: 1_000 + ((index * 97) % 9_000),
      first: index as RiverView['stem'][number]['first'],
    })),
    branches: [...runs, ...forks],
    things: Array.from({ length: THINGS }, (_, index) => thingOf(index)),
    bins: [],
    messages: [],
  }
}

function thingOf(index: number): RiverThing {
  const kinds = ['mark', 'ping', 'update', 'mail', 'compaction', 'cut'] as const
  const kind = kinds[index % kinds.length] ?? 'mark'
  const at = timeOf(index / THINGS)
  const branch = `br_${index}` as RiverThing['branch']
  return {
    kind,
    at,
    position: index as RiverThing['position'],
    branch,
    side: kind === 'ping' ? 'down' : 'main',
    lane: kind === 'ping' ? 1 + (index % LANES) : 0,
    text: 'Flight LH 400 moved to 14:20',
    isUndone: false,
    messages: 9,
    ...(kind === 'cut' && { since: at - 3_600_000 }),
    ...((kind === 'update' || kind === 'mail') && {
      sender: { branch, side: 'down', lane: 1 + (index % LANES) },
    }),
  }
}
