import type { Section } from './mutation.ts'

export const telegram: Section = {
  section: 'Telegram',
  promises: {
    'The token in an error': [
      {
        guard: 'an error of the network has no cause',
        file: 'src/channel/telegram/client.ts',
        find: '{ isFinal: false, isHidden: !NOT_SENT.has(String(code)) }',
        replace: '{ isFinal: false, isHidden: !NOT_SENT.has(String(code)), cause: error.error }',
        test: 'test/telegram/sending.test.ts',
        title: 'that fails is hidden when the connection breaks',
      },
    ],
    'An address that carries a secret out': [
      {
        guard: 'previews of links are off',
        file: 'src/channel/telegram/sending.ts',
        find: 'is_disabled: true',
        replace: 'is_disabled: false',
        test: 'test/telegram/sending.test.ts',
        title: 'is shown with its looks, and without previews of its links',
      },
    ],
    'A command in a forwarded message': [
      {
        guard: 'what is forwarded is not read',
        file: 'src/channel/telegram/arrival.ts',
        find: 'if (passedOnFrom(message) !== undefined) return words',
        replace: '',
        test: 'test/telegram/arriving.test.ts',
        title: 'marks what was forwarded, which is never read as a command',
      },
    ],
    'A tap that takes a question away': [
      {
        guard: 'in a group, buttons stay after a tap that was refused',
        file: 'src/channel/telegram/telegram.ts',
        find: "(kind === 'refused' && chat.type === 'private')",
        replace: "kind === 'refused'",
        test: 'test/telegram/sending.test.ts',
        title: 'in a group stays when somebody tapped it whom it was not for',
      },
    ],
  },
}
