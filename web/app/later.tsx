import { useEffect, useReducer, useState, type ComponentType, type ReactNode } from 'react'
import { Loading } from '../ui/surface.tsx'

export type Load = () => Promise<{ readonly default: ComponentType }>

/**
 * A component whose code is loaded when it is first shown, or before that by `load`. React's own `lazy` shows what stands
 * there meanwhile for at least 300 ms, even if the code comes at once.
 */
export function later(from: Load, meanwhile: ReactNode = <Loading />) {
  let Loaded: ComponentType | undefined
  const load = async (): Promise<void> => {
    Loaded = (await from()).default
  }
  function Shown() {
    const [error, setError] = useState<Error>()
    const [, draw] = useReducer((count: number) => count + 1, 0)
    const isDrawn = Loaded !== undefined
    useEffect(() => {
      // The code may have come since this was drawn: whether it is there now says nothing of what is shown.
      if (!isDrawn) load().then(draw, setError)
    }, [isDrawn])
    if (error !== undefined) throw error
    return Loaded === undefined ? meanwhile : <Loaded />
  }
  return Object.assign(Shown, { load })
}
