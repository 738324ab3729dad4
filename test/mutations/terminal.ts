import type { Section } from './mutation.ts'

export const terminal: Section = {
  section: 'The terminal',
  promises: {
    'Sequences for a terminal': [
      {
        guard: 'text for a terminal is made harmless where it is written',
        file: 'src/cli/frame/output.ts',
        find: 'this.isTerminal ? neutral : spelledOut',
        replace: 'this.isTerminal ? String : spelledOut',
        test: 'test/cli.output.test.ts',
        title: '[SAFE6] shows the name of an invented tool',
      },
      {
        guard: 'only sequences with our key are styles',
        file: 'src/channel/terminal/text/neutral.ts',
        find: String.raw`\[${'${key}'}([\d;]+)m`,
        replace: String.raw`\[([\d;]+)m`,
        test: 'src/channel/terminal/text/neutral.test.ts',
        title: '[SAFE6] only our own styles colour a text',
      },
      {
        guard: 'control characters and direction marks become signs',
        file: 'src/channel/terminal/text/neutral.ts',
        find: String.raw`.replaceAll(/(?!\n)[\p{Cc}\p{Bidi_Control}]/gu, pictureOf)`,
        replace: '',
        test: 'src/channel/terminal/text/neutral.test.ts',
      },
    ],
    'A file that is shown later': [
      {
        guard: 'a file gets text that is spelled out',
        file: 'src/cli/frame/output.ts',
        find: 'this.isTerminal ? neutral : spelledOut',
        replace: 'this.isTerminal ? neutral : String',
        test: 'test/cli.output.test.ts',
        title: '[SAFE6] gives a terminal nothing that it would obey',
      },
    ],
    JSON: [
      {
        guard: 'JSON is escaped as JSON',
        file: 'src/cli/frame/output.ts',
        find: 'return harmlessJson(JSON.stringify(value, undefined, indent))',
        replace: 'return JSON.stringify(value, undefined, indent)',
        test: 'test/cli.output.test.ts',
        title: '[SAFE6] is JSON with nothing lost',
      },
    ],
    'The chat': [
      {
        guard: 'what is drawn is made harmless',
        file: 'src/channel/terminal/screen/screen.ts',
        find: "text === '' ? ' ' : shown(text)",
        replace: "text === '' ? ' ' : text",
        test: 'test/terminal.test.ts',
        title: '[SAFE6] what no part of the screen made harmless',
      },
    ],
    "A bug's stack trace": [
      {
        guard: 'the stack is made harmless before Node prints it',
        file: 'src/cli/main.ts',
        find: "void (error.stack = err.shown(error.stack ?? ''))",
        replace: 'undefined',
        test: 'test/cli.output.test.ts',
        title: '[SAFE6] also where it is a stack trace of Node',
      },
    ],
  },
}
