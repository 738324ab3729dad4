import { useEffect, useMemo, useState } from 'react'
import { useNow } from '../ui/time.tsx'
import { endingNow, SPANS, type Window } from './window.ts'

const WRITE_MS = 400

/** The window that is shown. It follows the time unless it was moved; then its address keeps it. */
export function useWindow() {
  const [given, setGiven] = useState(read)
  const [span, setSpan] = useState<number>(SPANS.Week)
  const time = useNow()
  const window = useMemo(() => given ?? endingNow(span, time), [given, span, time])
  useEffect(() => {
    const timer = setTimeout(() => write(given), WRITE_MS)
    return () => clearTimeout(timer)
  }, [given])
  const follow = (wanted: number): void => {
    setSpan(wanted)
    setGiven(undefined)
  }
  return { window, setWindow: setGiven, follow }
}

function read(): Window | undefined {
  const query = new URLSearchParams(location.search)
  const [from, to] = [Date.parse(query.get('from') ?? ''), Date.parse(query.get('to') ?? '')]
  return from < to ? { from, to } : undefined
}

function write(given: Window | undefined): void {
  const query = given && new URLSearchParams({ from: isoOf(given.from), to: isoOf(given.to) })
  const address = query === undefined ? location.pathname : `${location.pathname}?${query}`
  history.replaceState(history.state, '', address)
}

function isoOf(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+/, '')
}
