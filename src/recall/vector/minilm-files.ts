import { createHash } from 'node:crypto'
import { createReadStream, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { EmbedderError } from '../contract/embedder.ts'

/** The files of a sentence encoder, in the format of transformers.js. */
export interface MiniLmFiles {
  readonly directory: string
  readonly model: ModelFile
  readonly bytes: number
}

interface ModelFile {
  /** Inside the directory. */
  readonly path: string
  readonly folder: string
  /** The number format, as transformers.js names it. */
  readonly dtype: 'q8' | 'fp32'
}

/** The first one found is used: the small one is as good, and four times as fast to read. */
const MODELS: readonly ModelFile[] = [
  { path: 'onnx/model_quantized.onnx', folder: 'onnx', dtype: 'q8' },
  { path: 'onnx/model.onnx', folder: 'onnx', dtype: 'fp32' },
  { path: 'model_quantized.onnx', folder: '', dtype: 'q8' },
  { path: 'model.onnx', folder: '', dtype: 'fp32' },
]
const OTHERS = ['config.json', 'tokenizer.json', 'tokenizer_config.json']

/** The files, or the names of those that are missing. */
export function findMiniLm(directory: string): MiniLmFiles | { readonly missing: readonly string[] } {
  const model = MODELS.find(({ path }) => sizeOf(join(directory, path)) > 0)
  const missing = OTHERS.filter((name) => sizeOf(join(directory, name)) === 0)
  if (model === undefined) missing.push(MODELS[0]?.path ?? '')
  if (model === undefined || missing.length > 0) return { missing }
  const bytes = [model.path, ...OTHERS].reduce((sum, name) => sum + sizeOf(join(directory, name)), 0)
  return { directory, model, bytes }
}

/** 0 where there is no file. */
export function sizeOf(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false })
  return found?.isFile() === true ? found.size : 0
}

/** The number of dimensions of this model's vectors. */
export function dimensionsOf({ directory }: MiniLmFiles): number {
  const file = join(directory, 'config.json')
  let said: unknown
  try {
    said = (JSON.parse(readFileSync(file, 'utf8')) as { hidden_size?: unknown } | null)?.hidden_size
  } catch (cause) {
    const why = (cause as Error).message
    throw new EmbedderError(`could not read ${file}: ${why}. Download the model again`, { cause })
  }
  if (Number.isSafeInteger(said) && (said as number) > 0) return said as number
  throw new EmbedderError(
    `${file} has no "hidden_size" (the length of a vector). Is this a sentence encoder?`,
  )
}

/** Identifies a model by its content, not by its name. */
export function checksumOf({ directory, model }: MiniLmFiles): Promise<string> {
  const names = [model.path, 'tokenizer.json', 'tokenizer_config.json']
  return sha256Of(names.map((name) => join(directory, name)))
}

/** Of these files, one after the other. */
export async function sha256Of(files: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const file of files) await pipeline(createReadStream(file), hash, { end: false })
  return hash.digest('hex')
}
