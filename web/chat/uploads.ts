import { useEffect, useRef, useState } from 'react'
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
  const [isOver, setOver] = useState(false)
  const change = (id: number, news: Partial<Upload>): void =>
    setAll((before) => before.map((one) => (one.id === id ? { ...one, ...news } : one)))
  const add = (files: readonly File[]): void => {
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
  }
  const latest = useRef(add)
  latest.current = add
  useEffect(() => {
    let depth = 0
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true
    const enter = (event: DragEvent): void => {
      if (hasFiles(event)) setOver(++depth > 0)
    }
    const leave = (event: DragEvent): void => {
      if (hasFiles(event)) setOver(--depth > 0)
    }
    const over = (event: DragEvent): void => {
      if (hasFiles(event)) event.preventDefault()
    }
    const drop = (event: DragEvent): void => {
      if (!hasFiles(event)) return
      event.preventDefault()
      depth = 0
      setOver(false)
      latest.current([...(event.dataTransfer?.files ?? [])])
    }
    const listening = new AbortController()
    const { signal } = listening
    addEventListener('dragenter', enter, { signal })
    addEventListener('dragleave', leave, { signal })
    addEventListener('dragover', over, { signal })
    addEventListener('drop', drop, { signal })
    return () => listening.abort()
  }, [])
  const forget = (gone: readonly Upload[]): void => {
    for (const { preview } of gone) if (preview !== undefined) URL.revokeObjectURL(preview)
  }
  return {
    all,
    isOver,
    add,
    done: all.flatMap(({ hash, name }) => (hash === undefined ? [] : { hash, name })),
    isBusy: all.some(({ hash, problem }) => hash === undefined && problem === undefined),
    remove: (id: number): void => {
      forget(all.filter((one) => one.id === id))
      setAll(all.filter((one) => one.id !== id))
    },
    clear: (): void => {
      forget(all)
      setAll([])
    },
  }
}
