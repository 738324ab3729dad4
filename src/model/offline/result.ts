import { isJsonObject, type Json } from '../../base/json.ts'

/** A result is JSON with the text that a person gets; what is not is shown as it came. */
export function resultIn(text: string): { words: string; isError: boolean } {
  const value = parsed(text)
  if (typeof value === 'string') return { words: value, isError: false }
  if (!isJsonObject(value)) return { words: text, isError: false }
  const { error, ok, success } = value as { error?: Json; ok?: Json; success?: Json }
  const isError =
    (error !== undefined && error !== null && error !== false) || ok === false || success === false
  const fields = [error, ...['text', 'output', 'message', 'result'].map((name) => value[name])]
  const words = fields.find((field): field is string => typeof field === 'string' && field !== '')
  return { words: words ?? text, isError }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
