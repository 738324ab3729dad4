import { dayHours, pingPlace, timeOfDay, type DayHours } from './type/day-type.ts'
import { parameter } from './parameter.ts'
import { orNone, whole } from './type/value-type.ts'

/** Pings, quiet hours and the digest. */
export const backgroundParameters = {
  pingCapacity: parameter({
    group: 'Background',
    change: 'live',
    type: whole({ min: 1, max: 1_000 }),
    default: 5,
    help: 'How many pings there can be at once; then they come back one by one.',
  }),
  pingRefillMinutes: parameter({
    group: 'Background',
    change: 'live',
    type: whole({ min: 1, max: 100_000 }),
    default: 90,
    help: 'Minutes until one ping comes back.',
  }),
  pingCriticalMax: parameter({
    group: 'Background',
    change: 'live',
    type: whole({ min: 0, max: 1_000 }),
    default: 0,
    help: 'So many critical pings a day come one by one, the others folded into one message. 0: all one by one.',
  }),
  pingTtl: parameter({
    group: 'Background',
    change: 'live',
    type: whole({ min: 1, max: 7 * 86_400 }),
    default: 1_800,
    help: 'Seconds in which a ping must arrive; after that it becomes an update for main.',
  }),
  busyQuietSeconds: parameter({
    group: 'Background',
    change: 'live',
    type: whole({ min: 0, max: 86_400 }),
    default: 60,
    help: 'Who wrote within so many seconds is busy, and gets no ping that is not critical.',
  }),
  quietHours: parameter({
    group: 'Background',
    change: 'live',
    type: orNone<DayHours>(dayHours),
    default: null,
    help: 'Hours in which nothing but critical pings and reminders comes, such as 22:00-08:00. None: never quiet.',
  }),
  digestAt: parameter({
    group: 'Background',
    change: 'live',
    type: orNone<number>(timeOfDay),
    default: null,
    help: 'When you are told each day what was reported and never pinged, such as 18:00. None: no digest.',
  }),
  'pings.to': parameter({
    group: 'Background',
    change: 'live',
    type: orNone(pingPlace),
    default: null,
    help: 'Where pings go: a channel, or CHANNEL:CONVERSATION. None: where you wrote last.',
  }),
}
