declare const brand: unique symbol

/** `Brand<string, 'BranchId'>` is a string that only the parser of its kind hands out. */
export type Brand<Value, Name extends string> = Value & { readonly [brand]: Name }
