import type { Section } from './mutation.ts'

export const background: Section = {
  section: 'Work in the background',
  promises: {},
}
