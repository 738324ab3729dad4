import { type Arg, type Execution, PARAM_WORD, type Resolving, subcommandWords } from './descriptor.ts'

/** A word after a program. */
export interface Word {
  /** Null if a model influences it. */
  readonly text: string | null
  /** Whether it is there in every call. */
  readonly isSure: boolean
}

/** How a tool uses a program, according to its file. */
export interface ProgramUse {
  readonly binary: string
  readonly words: readonly Word[]
  /** Whether a model provides its input. */
  readonly isFed: boolean
  /** Whether a model chooses the folder it runs in. */
  readonly isMoved: boolean
  readonly isResolving: boolean
}

export function useOf({ binary, subcommand, args }: Execution): ProgramUse {
  return {
    binary,
    words: [...subcommandWords(subcommand).map(fixed), ...args.flatMap(wordsOf)],
    isFed: args.some(({ kind }) => kind === 'stdin'),
    isMoved: isMovable(args),
    isResolving: false,
  }
}

/** It runs in the same folder as the tool it resolves a value for. */
export function resolvingUse(
  { binary, subcommand, args }: Resolving & { kind: 'command' },
  { args: around }: Execution,
): ProgramUse {
  const words = args.map((word): Word => (word === PARAM_WORD ? OPEN : fixed(word)))
  return {
    binary,
    words: [...subcommandWords(subcommand).map(fixed), ...words],
    isFed: false,
    isMoved: isMovable(around),
    isResolving: true,
  }
}

/** The fixed words before the first one that a model influences. */
export function leadingWords({ words }: ProgramUse): string[] {
  const cut = words.findIndex(({ text, isSure }) => text === null || !isSure)
  return (cut < 0 ? words : words.slice(0, cut)).flatMap(({ text }) => text ?? [])
}

/** Whether the word after this one, its value if it takes one, can come from a model. */
export function isOpenBehind(words: readonly Word[], place: number): boolean {
  if (words[place + 1]?.text === null) return true
  // If a flag may be missing, the word after it can take its place.
  const next = words.slice(place + 1).find(({ isSure }) => isSure)
  return next?.text === null
}

const OPEN: Word = { text: null, isSure: true }

function fixed(text: string): Word {
  return { text, isSure: true }
}

function isMovable(args: readonly Arg[]): boolean {
  return args.some(({ kind }) => kind === 'workingdir')
}

export function wordsOf(arg: Arg): Word[] {
  if (arg.kind === 'literal') return [fixed(arg.value)]
  if (arg.kind === 'positional') return [OPEN]
  if (arg.kind === 'flag')
    return [
      { text: arg.flag, isSure: false },
      { text: null, isSure: false },
    ]
  if (arg.kind === 'flagifboolean')
    return [arg.flagIfTrue, arg.flagIfFalse].flatMap((text) => (text === null ? [] : { text, isSure: false }))
  return []
}
