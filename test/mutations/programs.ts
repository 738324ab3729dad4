import type { Section } from './mutation.ts'

export const programs: Section = {
  section: 'Programs',
  promises: {
    'Option injection': [
      {
        guard: 'a positional value that begins with - is refused',
        file: 'src/skill/executor/argv.ts',
        find: `if (draft.options === 'never-end' && text.startsWith('-')) return OPTION_PROBLEM`,
        replace: '',
        test: 'src/skill/executor/executor.property.test.ts',
        title: '[SAFE3] whatever a file declares and a model gives',
      },
      {
        guard: 'a value is placed after -- if the program understands that',
        file: 'src/skill/executor/argv.ts',
        find: `if (draft.options === 'can-end') draft.argv.push('--')`,
        replace: '',
        test: 'src/skill/executor/executor.property.test.ts',
        title: '[SAFE3] whatever a file declares and a model gives',
      },
      {
        guard: 'the value of a flag that begins with - is refused',
        file: 'src/skill/executor/argv.ts',
        find: `if (text.startsWith('-') && !(arg.isNumber && isNumberText(text))) return OPTION_PROBLEM`,
        replace: '',
        test: 'src/skill/executor/executor.property.test.ts',
        title: '[SAFE3] whatever a file declares and a model gives',
      },
    ],
  },
}
