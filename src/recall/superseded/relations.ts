/** Verbs that tell one thing of somebody, so that a second thing takes the place of the first. */
export interface Relation {
  readonly name: string
  readonly pattern: RegExp
  /** Whether what is told is always a name, or may be any words. */
  readonly manner: 'name' | 'words'
}

export const CALLED = /^(?:called|named)\s+(?<name>.+)$/iu

export const RELATIONS: readonly Relation[] = [
  {
    name: '@live',
    pattern:
      /\b(?:(?:live|lives|living|reside|resides|based|settled)\s+(?:now\s+)?(?:in|at|near)|(?:just\s+|recently\s+)?(?:moved|relocated)\s+(?:back\s+|over\s+)?to)\s+(?<object>.+)$/iu,
    manner: 'name',
  },
  {
    name: '@work',
    pattern: /\b(?:works?|working|employed)\s+(?:now\s+)?(?:at|for|by)\s+(?<object>.+)$/iu,
    manner: 'name',
  },
  { name: '@workplace', pattern: /\b(?:works?|working)\s+(?:now\s+)?in\s+(?<object>.+)$/iu, manner: 'name' },
  { name: '@study', pattern: /\b(?:study|studies|studying)\s+at\s+(?<object>.+)$/iu, manner: 'name' },
  { name: 'car', pattern: /\bdrives?\s+an?\s+(?<object>.+)$/iu, manner: 'words' },
  {
    name: 'name',
    pattern:
      /^(?:(?:i am|i'm|you are|you're)\s+(?:called|named)|(?:please\s+)?call me|wants? to be called|likes? to be called)\s+(?<object>.+)$/iu,
    manner: 'name',
  },
  { name: '@prefer', pattern: /\b(?:prefers?|wants)\s+(?!to be called)(?<object>.+)$/iu, manner: 'words' },
]
