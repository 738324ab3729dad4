import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { download, type Download } from './download.ts'
import { EmbedderError } from '../contract/embedder.ts'

export interface ModelSource {
  /** The URL of the hub, or of a mirror. */
  readonly base: string
  /** Relative to the base, including the revision. */
  readonly path: string
  readonly files: readonly { path: string; sha256: string; bytes: number }[]
}

export const HUB = 'https://huggingface.co'

/**
 * One revision of all-MiniLM-L6-v2 in the format of transformers.js. The checksums are part of the program: files of a
 * hub or a mirror are only accepted if they match.
 */
export const MINILM_SOURCE: Omit<ModelSource, 'base'> = {
  path: 'Xenova/all-MiniLM-L6-v2/resolve/751bff37182d3f1213fa05d7196b954e230abad9',
  files: [
    {
      path: 'config.json',
      sha256: '7135149f7cffa1a573466c6e4d8423ed73b62fd2332c575bf738a0d033f70df7',
      bytes: 650,
    },
    {
      path: 'tokenizer.json',
      sha256: 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
      bytes: 711_661,
    },
    {
      path: 'tokenizer_config.json',
      sha256: '9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3',
      bytes: 366,
    },
    {
      path: 'onnx/model_quantized.onnx',
      sha256: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
      bytes: 22_972_370,
    },
  ],
}

interface Pull {
  readonly source: ModelSource
  readonly directory: string
  readonly progress?: (done: number, all: number) => void
  readonly pause: Download['pause']
  readonly stallMs?: number
}

/** Downloads a model. Its directory gets its name once all is there and checked; partial files stay for a retry. */
export async function pullModel({ source, directory, progress, pause, stallMs }: Pull): Promise<void> {
  const unfinished = `${directory}.unfinished`
  const all = modelBytes(source)
  let before = 0
  for (const { path, sha256, bytes } of source.files) {
    const file = join(unfinished, path)
    makeFolder(dirname(file))
    const url = `${source.base.replace(/\/+$/, '')}/${source.path}/${path}`
    await download({
      url,
      file,
      sha256,
      bytesMax: Math.max(bytes, SMALL_BYTES),
      progress: (done) => progress?.(Math.min(all, before + done), all),
      pause,
      ...(stallMs === undefined ? {} : { stallMs }),
    })
    before += bytes
  }
  replace(directory, unfinished)
}

/** A small file may be slightly larger than expected; only its checksum decides. */
const SMALL_BYTES = 65_536

export function modelBytes({ files }: Pick<ModelSource, 'files'>): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0)
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (cause) {
    const why = `could not create ${folder}: ${(cause as Error).message}`
    throw new EmbedderError(`${why}. Check its parent directory`, { cause })
  }
}

function replace(directory: string, by: string): void {
  const old = `${directory}.old`
  rmSync(old, { recursive: true, force: true })
  if (statSync(directory, { throwIfNoEntry: false }) !== undefined) renameSync(directory, old)
  renameSync(by, directory)
  rmSync(old, { recursive: true, force: true })
}
