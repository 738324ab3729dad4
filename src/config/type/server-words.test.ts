import { expect, test } from 'vitest'
import { placeOf, serverWords } from './server-words.ts'
import type { ServerEntry } from './tool-type.ts'

test.each<[ServerEntry, string]>([
  [{ command: 'mcp-server-everything', args: ['stdio'] }, 'mcp-server-everything stdio'],
  [
    { command: 'npx', args: ['-y', '@scope/server-files@2.1.0', '/srv/notes', '~/x'], cwd: '/srv' },
    'npx -y @scope/server-files@2.1.0 /srv/notes ~/x in /srv',
  ],
  [{ command: 'x', args: ['--api-key', 'hunter', '--port', '8080'] }, 'x --api-key … --port 8080'],
  [{ command: 'x', args: ['--api-key=hunter', '-p', 'hunter'] }, 'x --api-key=… -p …'],
  [{ command: 'docker', args: ['run', '-i', '-e', 'KEY=hunter', 'mcp/git'] }, 'docker run -i -e … mcp/git'],
  [
    { command: 'x', args: ['postgres://me:hunter@db/x', 'https://a.example/b?key=hunter'] },
    'x … https://a.example/b',
  ],
  [{ command: 'x', args: ['sk-0123456789abcdefhunter', 'two words hunter'] }, 'x … …'],
  [{ command: 'x', env: { A_KEY: 'hunter', B: 'hunter' } }, 'x (env: A_KEY, B)'],
  [
    { url: 'https://a.example:8443/mcp?key=hunter#hunter', headers: { Authorization: 'Bearer hunter' } },
    'https://a.example:8443/mcp (headers: Authorization)',
  ],
  [{ url: 'https://a.example/s/0a1b2c3d4e5f6a7bhunter/mcp' }, 'https://a.example/s/…/mcp'],
])('a server is shown without anything that could be a key: %#', (entry, words) => {
  expect(serverWords(entry)).toBe(words)
  expect(words).not.toContain('hunter')
})

test('an address is shown without a name and a password', () => {
  expect(placeOf('http://me:hunter2@127.0.0.1:9/mcp')).toBe('http://127.0.0.1:9/mcp')
})
