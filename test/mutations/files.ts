import type { Section } from './mutation.ts'

export const files: Section = {
  section: 'Files',
  promises: {},
}
