import { homeReads } from './home-reads.ts'
import { saidReads } from './said-reads.ts'
import { workReads } from './work-reads.ts'

/** Every view, by its address. */
export const reads = [...workReads, ...saidReads, ...homeReads] as const
