/** How the parts of a server's entry are written: for its schema, and for what a person is told of one that is wrong. */

export const SERVERS_MAX = 50
export const SERVER_NAME = /^[a-z\d][a-z\d-]{0,31}$/
export const VARIABLE_NAME = /^[A-Za-z_]\w*$/
export const HEADER_NAME = /^[\w-]+$/
export const PLAIN = /^\P{Cc}*$/u

export function isPlain(text: string): boolean {
  return PLAIN.test(text)
}

export function isWebUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}

/** Requests are refused with such an address, and the refusal would show it. */
export function hasPassword(url: string): boolean {
  const { username, password } = new URL(url)
  return username !== '' || password !== ''
}
