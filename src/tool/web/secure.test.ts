import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import tls from 'node:tls'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemNetwork } from './connection.ts'
import { guardedFetch } from './guarded-fetch.ts'
import { webLimits } from './guarded-request.ts'

/** Of nobody: for example.test, made for this test, until 2125. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgMsDELhPUsT2Y7Vzi
s/sb7b2ENn/KWekSjAE2UYncR62hRANCAAR4jZJpXZvhJNTnqGv6xDSiS4yMpSyD
4Dgt/Al7U0tz23r6aHetE+6mkI8JZnx3hkoLtwZMwDWkhl+jEPDYbECL
-----END PRIVATE KEY-----
`
const cert = `-----BEGIN CERTIFICATE-----
MIIBnjCCAUSgAwIBAgIUXftRZFSdZgBZqtVpGjlGVv7d8SkwCgYIKoZIzj0EAwIw
FzEVMBMGA1UEAwwMZXhhbXBsZS50ZXN0MCAXDTI2MTExNTEzNTEwNloYDzIxMjYx
MDIyMTM1MTA2WjAXMRUwEwYDVQQDDAxleGFtcGxlLnRlc3QwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAAR4jZJpXZvhJNTnqGv6xDSiS4yMpSyD4Dgt/Al7U0tz23r6
aHetE+6mkI8JZnx3hkoLtwZMwDWkhl+jEPDYbECLo2wwajAdBgNVHQ4EFgQUrl3A
K5MOyBADWoZtT75cNXzo9tcwHwYDVR0jBBgwFoAUrl3AK5MOyBADWoZtT75cNXzo
9tcwDwYDVR0TAQH/BAUwAwEB/zAXBgNVHREEEDAOggxleGFtcGxlLnRlc3QwCgYI
KoZIzj0EAwIDSAAwRQIgb6OZAd4fvTH18qZGeraMCi8p5E1gA21ikPxtODWvsqcC
IQCKtBP6dVmsNacEHlQ12AxSA89gWAcaxtY/eLownBTZWg==
-----END CERTIFICATE-----
`

const server = createServer(
  { key, cert },
  ({ headers }, response) => void response.end(`for ${headers.host}`),
)
/** Younger than Node itself: without it nobody can be made to vouch for the certificate. */
const canTrust = typeof tls.setDefaultCACertificates === 'function'
const trusted = canTrust ? tls.getCACertificates('default') : []

beforeEach(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  if (canTrust) tls.setDefaultCACertificates(trusted)
  await new Promise((resolve) => {
    server.close(resolve)
    server.closeAllConnections()
  })
})

function fetched(host: string) {
  const { port } = server.address() as AddressInfo
  return guardedFetch(new URL(`https://${host}:${port}/`), {
    network: { ...systemNetwork, resolve: () => Promise.resolve(['127.0.0.1']) },
    trust: { privateHosts: [host] },
    limits: webLimits,
    signal: new AbortController().signal,
  })
}

test.skipIf(!canTrust)(
  'a page is read over an encrypted connection to whom the certificate names',
  async () => {
    tls.setDefaultCACertificates([...trusted, cert])
    const page = await fetched('example.test')
    expect(page.kind === 'page' && page.body.bytes.toString()).toMatch(/^for example\.test:\d+$/)
  },
)

test('a certificate that nobody vouches for is not accepted, also of an allowed host', async () => {
  await expect(fetched('example.test')).rejects.toThrow('its certificate is not trusted')
})

test.skipIf(!canTrust)('a certificate that names another is not accepted', async () => {
  tls.setDefaultCACertificates([...trusted, cert])
  await expect(fetched('other.test')).rejects.toThrow('its certificate is not trusted')
  await expect(fetched('127.0.0.1')).rejects.toThrow('its certificate is not trusted')
})
