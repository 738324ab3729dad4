/** One guard, how to remove it, and the test that must fail without it. */
export interface Mutation {
  /** What the guard does. */
  readonly guard: string
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly find: string
  /** Takes its place. Types may be wrong afterwards; the file must still load. */
  readonly replace: string
  readonly test: string
  /** Part of the title of a test or of its group; left out, the whole test file runs. */
  readonly title?: string
}

/** The mutations for one section of docs/security.md. */
export interface Section {
  readonly section: string
  /** By the bold words of a row's first cell (the whole cell if none are bold); or why no guard can be removed. */
  readonly promises: Readonly<Record<string, readonly Mutation[] | { readonly notMutable: string }>>
}

/** A mutation, and the promise that it breaks. */
export type Row = Mutation & { readonly promise: string }

export function rowsOf(sections: readonly Section[]): Row[] {
  return sections.flatMap(({ section, promises }) =>
    Object.entries(promises).flatMap(([promise, mutations]) =>
      'notMutable' in mutations
        ? []
        : mutations.map((mutation) => ({ ...mutation, promise: `${section} / ${promise}` })),
    ),
  )
}
