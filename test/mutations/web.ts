import type { Section } from './mutation.ts'

export const web: Section = {
  section: 'The web',
  promises: {},
}
