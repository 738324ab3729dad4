/** What the model sums up, by the day on which it is asked. */
export function summaryOn(day: string): string {
  const [, text = ''] = SUMMARIES.findLast(([from]) => from <= day) ?? []
  return text
}

const SUMMARIES: readonly (readonly [from: string, text: string])[] = [
  [
    '2026-05-01',
    `- Robin lives in Berlin with Mira, builds tidepool (a sync server) on weekends
- Pasta alla Norma for four is in notes/recipes/norma.md; less salt, rinse the aubergines
- Weekday brief at 7:30: appointments, weather, what is due, five lines at most
- tidepool leaked memory on disconnect: the heartbeat timer; fixed in June
- Mira's birthday is 12 July; she got a pottery course and loved it`,
  ],
  [
    '2026-09-01',
    `- Robin and Mira go to Sicily for two weeks in November 2026, without a plane; notes/sicily.md has the plan
- Mira gets seasick on small boats: ask before booking ferries
- Hotel in Palermo: the small one by the harbour, three minutes from the ferry
- A colleague says the ferry to Palermo leaves Genoa at 22:30 on Saturdays; Livorno is cheaper but arrives at 6
- tidepool: nightly build watched at 22:15; sync.test.ts times out now and then
- The shed door needs three thin coats of linseed oil, a day between them
- Running shoes: Saucony Ride, size 44; the tax office learns of the move from the registry
- Inbox is looked through at 9:02 and 15:02; only what cannot wait is a ping`,
  ],
  [
    '2026-11-10',
    `- Robin and Mira go to Sicily on 21 November 2026 for two weeks, by train and ferry; notes/sicily.md has the plan
- Mira gets seasick on small boats: ask before booking ferries
- Hotel in Palermo: the small one by the harbour, three minutes from the ferry
- The ferry to Palermo leaves Genoa at 22:30 on Saturdays; Livorno is cheaper but arrives at 6
- Weekly review on Saturdays at 18:30: done, open, next week, what to drop; the tax letter is still open
- tidepool: nightly build watched at 22:15; sync.test.ts times out now and then
- The tax office learns of the move from the registry; bank details are changed in ELSTER
- Inbox is looked through at 9:02 and 15:02; only what cannot wait is a ping`,
  ],
]
