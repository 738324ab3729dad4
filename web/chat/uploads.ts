import { useCallback, useEffect, useState } from 'react'
import { addressOf, call } from '../api/client.ts'

interface Upload {
  readonly id: number
  readonly name: string
  readonly bytes: number
  /** Of a picture. */
  readonly preview: string | undefined
  readonly hash?: string
  readonly problem?: string
}

let count = 0

export type Uploads = ReturnType<typeof useUploads>

/** Files for the next message. They are uploaded at once, and named in the message when it is sent. */
export function useUploads() {
  const [all, setAll] = useState<readonly Upload[]>([])
  const add = useCallback((files: Iterable<File>): void => {
    const change = (id: number, news: Partial<Upload>): void =>
      setAll((before) => before.map((one) => (one.id === id ? { ...one, ...news } : one)))
    for (const file of files) {
      const id = ++count
      const preview = file.type.startsWith('image/') ? URL.createObjectURL(file) : undefined
      setAll((before) => [...before, { id, name: file.name, bytes: file.size, preview }])
      call<{ hash: string; name: string }>(addressOf('/api/files', { name: file.name }), {
        method: 'POST',
        body: file,
      }).then(
        ({ hash, name }) => change(id, { hash, name }),
        (error: Error) => change(id, { problem: error.message }),
      )
    }
  }, [])
  return {
    all,
    add,
    isOver: useDrop(add),
    done: all.flatMap(({ hash, name }) => (hash === undefined ? [] : { hash, name })),
    isBusy: all.some(({ hash, problem }) => hash === undefined && problem === undefined),
    hasFailed: all.some(({ problem }) => problem !== undefined),
    remove: (id: number): void => setAll(all.filter((one) => one.id !== id)),
    clear: (): void => setAll([]),
  }
}

/** Whether files are held over the window; `take` gets those that are dropped. */
function useDrop(take: (files: FileList) => void): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const listening = new AbortController()
    const on = (name: 'dragover' | 'dragleave' | 'drop', does: (event: DragEvent) => void): void =>
      addEventListener(name, (event) => event.dataTransfer?.types.includes('Files') && does(event), listening)
    on('dragover', (event) => {
      event.preventDefault()
      setOver(true)
    })
    // Out of the window, and not from one element into the next.
    on('dragleave', ({ relatedTarget }) => setOver(relatedTarget !== null))
    on('drop', (event) => {
      event.preventDefault()
      setOver(false)
      if (event.dataTransfer) take(event.dataTransfer.files)
    })
    return () => listening.abort()
  }, [take])
  return isOver
}
