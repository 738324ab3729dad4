import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { connect, isIP, type LookupFunction, type Socket, type TcpNetConnectOpts } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { isPublic } from '../../base/address.ts'
import { grantFor, hostOf, notPublic, portOf, refusalOf, type Grant } from './web-address.ts'
import { WebError } from './web-error.ts'

/** All addresses of a host. */
export type Resolve = (host: string) => Promise<readonly string[]>

export interface Network {
  readonly resolve: Resolve
  readonly open: (options: TcpNetConnectOpts) => Socket
}

export const systemNetwork: Network = {
  resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  open: (options) => connect(options),
}

/** Which hosts may be private: those a person named, or, where a person chose the whole address, that one. */
export type Trust = { readonly privateHosts: readonly string[] } | 'chosen-by-a-person'

export function grantOf(url: URL, trust: Trust): Grant {
  return trust === 'chosen-by-a-person' ? 'port' : grantFor(url, trust.privateHosts)
}

/** How long one of several addresses is tried before the next. */
const ATTEMPT_MS = 2_000

/** A connection to where this address is, which has been found to be public, unless it is trusted. */
export async function connectionTo(
  url: URL,
  { network, trust, signal }: { network: Network; trust: Trust; signal: AbortSignal },
): Promise<Socket> {
  const grant = grantOf(url, trust)
  const refused = refusalOf(url, grant)
  if (refused !== undefined) throw new WebError(refused)
  const socket = network.open({
    host: hostOf(url),
    port: portOf(url),
    lookup: checkedLookup(network.resolve, grant),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_MS,
  })
  await established(socket, 'connect', signal)
  // Checked once more on the open socket: nothing has been sent yet, and nothing goes to an address that was not checked.
  if (grant === 'none' && !isPublic(socket.remoteAddress ?? '')) {
    socket.destroy()
    throw new WebError(notPublic(hostOf(url)))
  }
  return url.protocol === 'https:' ? await secured(socket, url, signal) : socket
}

/** The socket's own lookup, so that it uses exactly the addresses that were checked and no name is looked up twice. */
function checkedLookup(resolve: Resolve, grant: Grant): LookupFunction {
  return (host, _options, answer) => {
    void checked(host, resolve, grant).then(
      (addresses) =>
        answer(
          null,
          addresses.map((address) => ({ address, family: isIP(address) })),
        ),
      (error: unknown) => answer(error as Error, []),
    )
  }
}

async function checked(host: string, resolve: Resolve, grant: Grant): Promise<readonly string[]> {
  const addresses = await resolve(host)
  if (addresses.length === 0) throw new WebError(`No address is known for ${host}.`)
  // One private address among public ones is refused too: which of them is used is chance.
  if (grant === 'none' && !addresses.every(isPublic)) throw new WebError(notPublic(host))
  return addresses
}

async function secured(socket: Socket, url: URL, signal: AbortSignal): Promise<Socket> {
  const host = hostOf(url)
  const secure = connectSecurely({
    socket,
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ALPNProtocols: ['http/1.1'],
  })
  await established(secure, 'secureConnect', signal)
  return secure
}

async function established(socket: Socket, event: string, signal: AbortSignal): Promise<void> {
  // A socket may fail again after it was given up; with no listener that would end the process.
  socket.on('error', () => {})
  try {
    await once(socket, event, { signal })
  } catch (error) {
    socket.destroy()
    throw error
  }
}
