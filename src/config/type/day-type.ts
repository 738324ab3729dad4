import { z } from 'zod'
import type { ValueType } from './value-type.ts'

/** Both in minutes since midnight; they may lie on both sides of it. */
export interface DayHours {
  readonly from: number
  readonly to: number
}

/** In minutes since midnight. */
export const timeOfDay: ValueType<number> = {
  schema: z.string().transform((text, context): number => {
    const minutes = minutesOf(text)
    if (minutes !== undefined) return minutes
    context.addIssue({ code: 'custom' })
    return z.NEVER
  }),
  allowed: 'a time such as 18:00',
  fromText: (text) => text.trim(),
  toText: clockText,
}

export const dayHours: ValueType<DayHours> = {
  schema: z.string().transform((text, context): DayHours => {
    const [, first = '', second = ''] = /^\s*([\d:]+)\s*[-–]\s*([\d:]+)\s*$/.exec(text) ?? []
    const [from, to] = [minutesOf(first), minutesOf(second)]
    if (from !== undefined && to !== undefined && from !== to) return { from, to }
    context.addIssue({ code: 'custom' })
    return z.NEVER
  }),
  allowed: 'two different times such as 22:00-08:00',
  fromText: (text) => text.trim(),
  toText: ({ from, to }) => `${clockText(from)}-${clockText(to)}`,
}

const PLACE = /^[a-z][a-z0-9-]*(?::[^\s\p{Cc}][^\p{Cc}]*)?$/u

export const pingPlace: ValueType<string> = {
  schema: z.string().regex(PLACE),
  allowed: 'the name of a channel such as terminal, or a channel and a conversation such as telegram:12345',
  fromText: (text) => text.trim(),
  toText: (value) => value,
}

function minutesOf(text: string): number | undefined {
  const [, hour, minute] = /^\s*([01]?\d|2[0-3]):([0-5]\d)\s*$/.exec(text) ?? []
  return hour === undefined || minute === undefined ? undefined : Number(hour) * 60 + Number(minute)
}

/** `08:30` */
export function clockText(minutes: number): string {
  const [hour, minute] = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'))
  return `${hour}:${minute}`
}
