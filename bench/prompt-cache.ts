import { createHash } from 'node:crypto'
import { estimateTokens } from '../src/base/tokens.ts'
import type { Prompt, PromptMessage } from '../src/event/prompt.ts'

/** As Anthropic describes it: how far before a marker it looks for what it kept, and what is too short to be kept. */
const LOOK_BACK_BLOCKS = 20
const KEPT_TOKENS_MIN = 1_024

/** What a prompt's tokens cost there, by where they come from: one is a token that is read and not kept. */
const READ_COST = 0.1
const WRITE_COST = 1.25

export interface Spent {
  readonly read: number
  readonly written: number
  /** Behind the last marker. */
  readonly fresh: number
}

/** Where one prompt is marked; the end of tools and system text always is. */
export type Marking = readonly number[] | 'everywhere'

export interface ProviderCache {
  /** Reads the longest beginning of the prompt that it finds, and keeps what is marked. */
  take(prompt: Prompt, marked: Marking): Spent
}

/** A provider's cache of prompts, which forgets nothing: how well markers stand, not how long people pause. */
export function startCache(): ProviderCache {
  const kept = new Set<string>()
  return {
    take(prompt, marked) {
      const blocks = blocksOf(prompt)
      const markers = marked === 'everywhere' ? [...blocks.keys()] : placesOf(blocks, marked)
      const found = markers.map((at) => lookBack(kept, blocks, at))
      const read = Math.max(0, ...found.map((at) => blocks[at]?.tokensUpTo ?? 0))
      const last = blocks[markers.at(-1) ?? -1]?.tokensUpTo ?? 0
      for (const at of markers) {
        const block = blocks[at]
        if (block !== undefined && block.tokensUpTo >= KEPT_TOKENS_MIN) kept.add(block.hash)
      }
      const isKept = last >= KEPT_TOKENS_MIN
      const all = blocks.at(-1)?.tokensUpTo ?? 0
      return { read, written: isKept ? last - read : 0, fresh: all - (isKept ? last : 0) }
    },
  }
}

/** Of what the same prompts cost without a cache. */
export function costShare({ read, written, fresh }: Spent): number {
  return (read * READ_COST + written * WRITE_COST + fresh) / (read + written + fresh)
}

export function sumSpent(all: readonly Spent[]): Spent {
  const sum = (field: keyof Spent): number => all.reduce((total, spent) => total + spent[field], 0)
  return { read: sum('read'), written: sum('written'), fresh: sum('fresh') }
}

interface Block {
  /** Of everything up to its end. */
  readonly hash: string
  readonly tokensUpTo: number
  /** The message that it ends, if it ends one; -1 stands for tools and system text. */
  readonly ends: number | undefined
}

function blocksOf({ system, tools, messages, settings }: Prompt): Block[] {
  const setup = JSON.stringify([tools, system])
  const blocks: Block[] = [{ hash: hashOf(setup), tokensUpTo: tokensIn(setup), ends: -1 }]
  // Messages are kept apart for every way of thinking and of choosing tools, what stands before them is not.
  let hash = hashOf(`${blocks[0]?.hash} ${settings.model} ${settings.thinking} ${settings.toolChoice}`)
  let tokensUpTo = blocks[0]?.tokensUpTo ?? 0
  for (const [index, message] of messages.entries()) {
    const parts = partsOf(message)
    for (const [place, part] of parts.entries()) {
      hash = hashOf(hash + part)
      tokensUpTo += tokensIn(part)
      blocks.push({ hash, tokensUpTo, ends: place === parts.length - 1 ? index : undefined })
    }
  }
  return blocks
}

function partsOf(message: PromptMessage): string[] {
  if (message.role !== 'assistant') return [JSON.stringify(message)]
  const { reasoning, text, calls } = message
  const spoken = text === '' ? [] : [{ role: 'assistant', text }]
  return [...reasoning, ...spoken, ...calls].map((part) => JSON.stringify(part))
}

function placesOf(blocks: readonly Block[], marked: readonly number[]): number[] {
  const ends = new Set([-1, ...marked])
  return [...blocks.keys()].filter((at) => ends.has(blocks[at]?.ends ?? Number.NaN))
}

/** The last block at or before this one where something kept ends; -1 where there is none. */
function lookBack(kept: ReadonlySet<string>, blocks: readonly Block[], from: number): number {
  for (let at = from; at > from - LOOK_BACK_BLOCKS && at >= 0; at--)
    if (kept.has(blocks[at]?.hash ?? '')) return at
  return -1
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}

/** Prompts of a conversation share most of their parts. */
const counted = new Map<string, number>()

export function tokensIn(text: string): number {
  const known = counted.get(text)
  if (known !== undefined) return known
  const tokens = estimateTokens(text)
  counted.set(text, tokens)
  return tokens
}
