import { isAbsolute } from 'node:path'
import { messageOf } from '../base/message-of.ts'
import { parsedJson } from '../base/json.ts'
import { excessText, exitText } from '../tool/process/exit-text.ts'
import { findBinary } from '../tool/process/find-binary.ts'
import { type ProgramOrder, runProgram } from '../tool/process/run-program.ts'
import { endingOf } from './content-type.ts'

/** Turns recorded speech into text. */
export interface Transcriber {
  /** Rejects with an error whose message says what went wrong. */
  transcribe(audio: Audio, signal: AbortSignal): Promise<string>
}

export interface Audio {
  /** Where it is stored. */
  readonly path: string
  readonly bytes: Uint8Array
  readonly mime: string
}

export interface Endpoint {
  /** `https://api.openai.com/v1` */
  readonly url: string
  readonly key: string | null
  readonly model: string
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 120_000
const ANSWER_CHARS_MAX = 1_000_000

/** A server with OpenAI's API, or one that offers the same. */
export function endpointTranscriber({ url, key, model, timeoutMs = TIMEOUT_MS }: Endpoint): Transcriber {
  return {
    async transcribe({ bytes, mime }, signal) {
      const body = new FormData()
      body.set('model', model)
      body.set('response_format', 'json')
      // Servers tell formats apart by the ending of the name.
      body.set('file', new Blob([new Uint8Array(bytes)], { type: mime }), `audio.${endingOf(mime)}`)
      const response = await fetch(`${url.replace(/\/+$/, '')}/audio/transcriptions`, {
        method: 'POST',
        body,
        ...(key !== null && { headers: { authorization: `Bearer ${key}` } }),
        // A redirect would send the recording to a server that nobody chose.
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      }).catch((cause: unknown) => {
        throw new Error(`${new URL(url).host} cannot be reached (${messageOf(cause)})`, { cause })
      })
      const answer = await beginningOf(response)
      if (!response.ok) throw new Error(`${new URL(url).host} answered with status ${response.status}`)
      const said = parsedJson(answer)
      if (typeof said === 'object' && said !== null && 'text' in said && typeof said.text === 'string')
        return said.text
      throw new Error(`${new URL(url).host} answered without a text`)
    },
  }
}

async function beginningOf({ body }: Response): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.length > ANSWER_CHARS_MAX) break
  }
  return text
}

export interface Program {
  /** A program and its arguments; the path of the recording is added as the last one. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly timeoutMs?: number
  /** Of the program for the file of a recording. */
  readonly boxFor?: (path: string) => NonNullable<ProgramOrder['box']>
}

/** A program of this machine that prints the text. */
export function programTranscriber({ argv, env, cwd, boxFor, timeoutMs = TIMEOUT_MS }: Program): Transcriber {
  return {
    async transcribe({ path }, signal) {
      const [name = '', ...given] = argv
      const file = isAbsolute(name) ? name : findBinary(name, env['PATH'] ?? '')
      if (file === undefined) throw new Error(`there is no program ${name}`)
      const outputMax = ANSWER_CHARS_MAX
      const box = boxFor && { box: boxFor(path) }
      const order = { file, argv: [...given, path], cwd, env, timeoutMs, outputMax, signal, ...box }
      const ran = await runProgram(order)
      if (ran.kind === 'exited' && ran.code === 0) return ran.stdout
      if (ran.kind === 'exited') throw new Error(`${name} failed (${exitText(ran)})`)
      if (ran.kind === 'exceeded') throw new Error(`${name} ${excessText(ran.excess)}`)
      throw new Error(ran.kind === 'not-started' ? ran.problem : `${name} took too long or was stopped`)
    },
  }
}
