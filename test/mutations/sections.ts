import { background } from './background.ts'
import { fences } from './fences.ts'
import { files } from './files.ts'
import { leaving } from './leaving.ts'
import type { Section } from './mutation.ts'
import { people } from './people.ts'
import { guests } from './guests.ts'
import { permissions } from './permissions.ts'
import { programs } from './programs.ts'
import { provider } from './provider.ts'
import { server } from './server.ts'
import { spending } from './spending.ts'
import { telegram } from './telegram.ts'
import { terminal } from './terminal.ts'
import { web } from './web.ts'
import { webhooks } from './webhooks.ts'

/** In the order of docs/security.md. */
export const SECTIONS: readonly Section[] = [
  programs,
  files,
  web,
  server,
  terminal,
  fences,
  leaving,
  permissions,
  background,
  webhooks,
  guests,
  telegram,
  people,
  spending,
  provider,
]
