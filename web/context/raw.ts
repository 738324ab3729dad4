import { useQuery } from '@tanstack/react-query'
import { addressOf, ApiError, type Query } from '../api/client.ts'

/** The bytes of a prompt, which are no JSON answer of ours. A prompt that was sent never changes. */
export function useRaw(query: Query, isSent: boolean) {
  return useQuery<string, ApiError>({
    queryKey: ['/api/context/raw', query],
    queryFn: async ({ signal }) => {
      const response = await fetch(addressOf('/api/context/raw', query), { signal })
      if (!response.ok) throw new ApiError(response.status, 'The prompt could not be read.')
      return response.text()
    },
    staleTime: isSent ? Infinity : 0,
  })
}

/** In hexadecimal; undefined where the browser does not compute hashes, as on a plain http address. */
export async function sha256(text: string): Promise<string | undefined> {
  if (!globalThis.isSecureContext) return undefined
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
