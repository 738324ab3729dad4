import type { Config } from '../../config/table/settings.ts'
import { fileStore } from '../../file/file-store.ts'
import type { FileDesk } from '../../file/take-files.ts'
import type { Starting } from '../../tool/process/box.ts'
import { endpointTranscriber, programTranscriber } from '../../file/transcriber.ts'
import { homeBoxes } from './home-boxes.ts'
import { withoutTilde } from './skill-places.ts'

interface HomeFiles {
  readonly home: string
  readonly values: () => Config
  /** For the program that transcribes. */
  readonly env: Readonly<Record<string, string>>
}

/** Takes files into this home, as its configuration says. */
export function homeFiles({ home, values, env }: HomeFiles): FileDesk {
  const boxes = homeBoxes({ home, environment: env, values })
  return {
    store: fileStore(home),
    limits: () => {
      const { maxBytes: bytesMax, maxChars: charsMax } = values().attachments
      return { bytesMax, charsMax }
    },
    transcriber: () => {
      const { url, key, model, program, folders, network } = values().transcriber
      if (url !== null) return endpointTranscriber({ url, key, model })
      if (program.length === 0) return undefined
      const shown = { folders: folders.map(withoutTilde), writable: [], scriptsIn: program, network }
      const boxFor = (path: string) => (starting: Starting) =>
        boxes({ ...starting, cwd: null }, { ...shown, name: 'transcriber', readable: [path] })
      return programTranscriber({ argv: program, env, cwd: home, boxFor })
    },
  }
}
