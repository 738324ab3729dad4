import type { Section } from './mutation.ts'

export const fences: Section = {
  section: 'What a model is told',
  promises: {},
}
