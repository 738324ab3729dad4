import { EmbedderError } from '../contract/embedder.ts'

/** The part of `@huggingface/transformers` used here. The package brings half a gigabyte of dependencies, so it is optional. */
export interface Transformers {
  readonly env: {
    allowRemoteModels: boolean
    allowLocalModels: boolean
    localModelPath: string
    useFSCache: boolean
    useBrowserCache: boolean
    useWasmCache: boolean
  }
  pipeline(
    task: 'feature-extraction',
    model: string,
    options: { dtype: 'q8' | 'fp32'; subfolder: string; local_files_only: true; device: 'cpu' },
  ): Promise<Extractor>
}

export interface Extractor {
  (texts: readonly string[], how: { readonly pooling: 'mean'; readonly normalize: true }): Promise<Tensor>
  readonly tokenizer: {
    encode(text: string, options: { readonly add_special_tokens: boolean }): readonly number[]
  }
}

interface Tensor {
  /** The number of texts, and of numbers per text. */
  readonly dims: readonly number[]
  readonly data: Float32Array
}

export const TRANSFORMERS = '@huggingface/transformers'
export const INSTALL_COMMAND = `npm install -g ${TRANSFORMERS}`

/** Loaded on demand; mainstem does not install it. */
export async function importTransformers(name: string = TRANSFORMERS): Promise<Transformers> {
  try {
    return (await import(name)) as Transformers
  } catch (cause) {
    if (
      (cause as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND' &&
      String(cause).includes(`'${name}'`)
    )
      throw new EmbedderError(
        `the embedder 'minilm' needs the package ${name}, which is not installed. Run ${INSTALL_COMMAND}, ` +
          `or switch to the built-in embedder: mainstem config set embedder static-en-128`,
        { cause },
      )
    const why = (cause as Error).message
    const problem = `could not load the package ${name}: ${why}`
    throw new EmbedderError(`${problem}. Reinstall it: ${INSTALL_COMMAND}`, { cause })
  }
}

/** Whether the package is installed. */
export function hasTransformers(): boolean {
  try {
    import.meta.resolve(TRANSFORMERS)
    return true
  } catch {
    return false
  }
}
