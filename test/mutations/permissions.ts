import type { Section } from './mutation.ts'

export const permissions: Section = {
  section: 'Permissions',
  promises: {},
}
