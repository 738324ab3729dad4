import type { Config } from '../../config/table/settings.ts'
import { fileStore } from '../../file/file-store.ts'
import type { FileDesk } from '../../file/take-files.ts'
import { endpointTranscriber, programTranscriber } from '../../file/transcriber.ts'

interface HomeFiles {
  readonly home: string
  readonly values: () => Config
  /** For the program that transcribes. */
  readonly env: Readonly<Record<string, string>>
}

/** Takes files into this home, as its configuration says. */
export function homeFiles({ home, values, env }: HomeFiles): FileDesk {
  return {
    store: fileStore(home),
    limits: () => {
      const { maxBytes: bytesMax, maxChars: charsMax } = values().attachments
      return { bytesMax, charsMax }
    },
    transcriber: () => {
      const { url, key, model, program } = values().transcriber
      if (url !== null) return endpointTranscriber({ url, key, model })
      return program.length === 0 ? undefined : programTranscriber({ argv: program, env, cwd: home })
    },
  }
}
