import { useEffect, useState } from 'react'
import { now } from '../api/now.ts'
import { endingNow, SPANS, type Window } from './window.ts'

const WRITE_MS = 400

/** The window that is shown; its address keeps it. */
export function useWindow() {
  const [window, setWindow] = useState(read)
  useEffect(() => {
    const timer = setTimeout(() => write(window), WRITE_MS)
    return () => clearTimeout(timer)
  }, [window])
  return { window, setWindow }
}

function read(): Window {
  const query = new URLSearchParams(location.search)
  const [from, to] = [Date.parse(query.get('from') ?? ''), Date.parse(query.get('to') ?? '')]
  return from < to ? { from, to } : endingNow(SPANS.Week, now())
}

function write({ from, to }: Window): void {
  const query = new URLSearchParams({ from: isoOf(from), to: isoOf(to) })
  history.replaceState(history.state, '', `${location.pathname}?${query}`)
}

function isoOf(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+/, '')
}
