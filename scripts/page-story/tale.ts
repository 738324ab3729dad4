/** Half a year with Mainstem: a journey to Sicily, a side project, insurers, recipes, and what happened meanwhile. */
import { answers, answersBy, overload, type Step } from './model.ts'
import type { Teller } from './teller.ts'

/** The last moment of the story, where `mainstem serve` goes on. */
export const END = '2026-11-14 12:04'

export async function tell(at: Teller): Promise<void> {
  await at.you('/reload')
  prepareAnswers()
  await spring(at)
  await summer(at)
  await autumn(at)
  await lastWeek(at)
  await today(at)
}

/** How routines and webhooks are answered, in the story and after it. */
export function prepareAnswers(): void {
  answersBy(BRIEF, brief)
  answers('Book the pottery course', 'You wanted to book the pottery course for Mira today.')
  answers('You have 1 unread message', { tool: 'slash', args: { command: 'check-mail' } }, 'I’ll use that.')
  answersBy('Look back on the week in five lines', () => [
    '**Done**: the release, two runs, one dinner.\n**Open**: the tax letter.\n**Next week**: the dentist, and the shed roof before the rain.\n**Drop**: the newsletter idea; you have not touched it for a month.',
  ])
  answersBy('Look at the nightly build of tidepool', () =>
    /^2026-1(?:0-17|1-(?:04|11))/.test(day())
      ? [
          ping('The nightly build of tidepool failed: `sync.test.ts` timed out after 30 s.'),
          report('The nightly build failed: sync.test.ts timed out. It passed when run again.'),
          'Reported.',
        ]
      : ['All green.'],
  )
  answersBy('Look through the inbox', inbox)
  answersBy('Find news about heat pumps', () => [
    {
      tool: 'ping_user',
      args: {
        message: `${['Two', 'Three', 'Four'][new Date().getDate() % 3]} articles about heat pumps: a new subsidy from January, and a test of nine devices.`,
        when_free: true,
      },
    },
    report(
      'A subsidy for heat pumps starts in January; nine devices were tested, the quietest is the Ochsner.',
    ),
    'Done.',
  ])
  answers(
    'A smoke detector of the house went off',
    { tool: 'ping_user', args: { message: 'Smoke alarm in the kitchen, since 03:20.', critical: true } },
    report('The smoke alarm in the kitchen went off at 03:20; Robin was told.'),
    'Told.',
  )
}

async function spring(at: Teller): Promise<void> {
  await at.you(
    'Hello! I am Robin. I live in Berlin with Mira, and I build a small program called tidepool on weekends.',
    [
      { tool: 'remember', args: { line: 'Robin lives in Berlin with Mira' } },
      { tool: 'remember', args: { line: 'Builds tidepool, a sync server, on weekends' } },
    ],
    'Nice to meet you, Robin. I proposed two lines for my memory; you decide whether they stay.',
  )
  await at.you('/approve 1')
  await at.you('/approve 2')
  await at.you(
    'What should I cook on Thursday? Four people, one of them eats no meat.',
    `**Pasta alla Norma** works for everybody, and takes 40 minutes:

| for four | |
|---|---|
| aubergines | 2 large |
| tomatoes | 800 g, tinned |
| rigatoni | 400 g |
| ricotta salata | 100 g |

1. Salt the aubergines for 20 minutes, dry them, fry them in olive oil until golden
2. Cook the tomatoes with garlic and basil until thick
3. Toss everything with the pasta, grate the ricotta over it

Shall I put the shopping on your list?`,
  )
  await at.you(
    'Yes please, and save the recipe.',
    [
      {
        tool: 'todo',
        args: {
          action: 'add',
          text: 'Buy aubergines, tinned tomatoes, ricotta salata',
          due: 'Wednesday 18:00',
        },
      },
      { tool: 'write', args: { path: 'notes/recipes/norma.md', content: NORMA } },
    ],
    'Both done: the shopping is due on Wednesday, and the recipe is in `notes/recipes/norma.md`.',
  )
  await at.on('2026-05-21 22:40')
  await at.you(
    'It was great. A bit too salty though.',
    [
      { tool: 'todo', args: { action: 'done', item: 'aubergines' } },
      {
        tool: 'edit',
        args: {
          path: 'notes/recipes/norma.md',
          old: 'Salt the aubergines for 20 minutes',
          new: 'Salt the aubergines lightly, 10 minutes, and rinse them',
        },
      },
    ],
    'Noted: less salt, and rinse the aubergines. I changed the recipe.',
  )
  await at.on('2026-06-09 20:15')
  await at.you(
    'tidepool leaks memory when a client disconnects. Where would you look?',
    `Usually it is a listener that outlives its socket. In this order:

1. **Listeners on the shared emitter**: every \`on\` needs an \`off\` when the socket closes
2. **Maps keyed by connection** that nobody deletes from
3. **Timers** that close over the connection

\`\`\`ts
socket.on('close', () => {
  room.off('change', onChange)
  rooms.get(id)?.delete(socket)
  clearInterval(heartbeat)
})
\`\`\`

Take two heap snapshots with a hundred connections between them; what grew by a hundred is your leak.`,
  )
  await at.you('It was the heartbeat. You are good.', 'Glad it was the cheap one to fix.')
}

async function summer(at: Teller): Promise<void> {
  await at.on('2026-06-24 19:30')
  answers('a present for Mira', 'What does she like at the moment?')
  await at.you('/fork --enter -- a present for Mira')
  await at.you(
    'Her birthday is on 12 July. Something with ceramics?',
    'A weekend course at a pottery in Neukölln: wheel and glazing, two days, €180. Or a good book of Lucie Rie’s bowls, €45.',
  )
  await at.you(
    'The course. Book nothing, I do it myself.',
    { tool: 'add_reminder', args: { text: 'Book the pottery course for Mira', when: '2026-06-26 18:00' } },
    'I’ll remind you on Friday at 18:00.',
  )
  await at.you('/report Mira gets a pottery course for her birthday on 12 July. It is a surprise.')
  await at.on('2026-07-01 08:50')
  await at.you(
    'Good morning! What did I plan for this week?',
    'Three things: dinner with Jonas on Thursday, the tidepool release on Saturday, and Mira’s surprise is booked, so the 12th is settled.',
  )
  await at.on('2026-07-04 16:10')
  await at.you(
    'The release is out! Write the announcement, three sentences.',
    {
      tool: 'write',
      args: {
        path: 'notes/tidepool/release-2.md',
        content:
          '# tidepool 2\n\nSync is twice as fast, and a client that goes away no longer leaves anything behind. Conflicts are shown instead of guessed. Thank you to the eleven people who tried the beta.\n',
      },
    },
    'It is in `notes/tidepool/release-2.md`. The third sentence thanks the testers; I counted eleven.',
  )
  await at.on('2026-07-12 21:30')
  await at.you('She loved it.', 'That is the best kind of surprise: one that ends with a crooked bowl.')
  await at.on('2026-07-18 11:05')
  await at.job(
    'routines/morning-brief.md',
    {
      cron: '30 7 * * 1-5',
      description: 'Morning brief',
      background: true,
      isolated: true,
      model: 'anthropic/claude-haiku-5',
      'update-main-session': 'freely',
    },
    BRIEF,
  )
  await at.you(
    'I set up a morning brief on weekdays. Keep it short.',
    'Will do: appointments, weather, what is due. Nothing else.',
  )
  await at.on('2026-07-25 10:00')
  await at.you('/model anthropic/claude-sonnet-5')
  for (const [when, text, answer] of SUMMER) {
    await at.on(when)
    await at.you(text, answer)
  }
  await at.on('2026-08-22 15:00')
  await at.you('/fork')
  await at.you(
    'What if tidepool were written in Rust?',
    'You would gain memory safety and lose three months. The slow part is the disk, not the language.',
  )
  await at.you('And Zig?', 'The same three months, with fewer libraries.')
  await at.you('/exit')
  await at.on('2026-08-30 17:20')
  await at.job(
    'routines/weekly-review.md',
    { cron: '30 18 * * 6', description: 'Weekly review' },
    'Look back on the week in five lines: done, open, what to drop.',
  )
}

async function autumn(at: Teller): Promise<void> {
  await at.on('2026-09-12 09:40')
  await at.you(
    'We want to go to Sicily in November, two weeks. Not by plane if we can help it.',
    { tool: 'write', args: { path: 'notes/sicily.md', content: SICILY } },
    'Without a plane it is train and ferry: Berlin–Milan–Genoa in a day, then the night ferry to Palermo. I started `notes/sicily.md`.',
  )
  await at.you(
    'Mira gets seasick on small boats.',
    { tool: 'remember', args: { line: 'Mira gets seasick on small boats; ask before booking ferries' } },
    'Good to know. The night ferries are large and have stabilisers; I proposed to remember it.',
  )
  await at.you('/approve')
  await at.on('2026-09-20 20:00')
  await at.job(
    'routines/nightly-build.md',
    {
      cron: '15 22 * * *',
      description: 'Nightly build of tidepool',
      background: true,
      isolated: true,
      model: 'anthropic/claude-haiku-5',
    },
    'Look at the nightly build of tidepool. Tell me if it failed, and why.',
  )
  await at.you(
    'Watch the nightly build of tidepool from now on.',
    'The routine is set, at 22:15. I’ll only speak up if it fails.',
  )
  for (const [when, text, answer] of AUTUMN) {
    await at.on(when)
    await at.you(text, answer)
  }
  await at.on('2026-10-19 18:12')
  await at.you(
    'The ferry to Palermo leaves Genoa at 22:30 on Saturdays, says a colleague.',
    'Then you would be in Palermo on Sunday evening, around 19:30.',
  )
  await at.you('/note Livorno is cheaper but arrives at 6 in the morning.')
  await at.on('2026-10-21 20:30')
  overload(2)
  await at.type('Are there night trains to Milan?')
  answers(
    'Are there night trains to Milan?',
    'Not directly. You can sleep from Berlin to Zürich and be in Milan at noon, but then you miss the ferry on Saturday.',
  )
  await at.pass(2)
  await at.on('2026-10-24 09:00')
  await at.job(
    'routines/inbox.md',
    { cron: '2 9,15 * * *', description: 'Inbox', background: true, model: 'anthropic/claude-haiku-5' },
    'Look through the inbox. Ping me only about what cannot wait until the evening.',
  )
  await at.you('From now on look through my inbox twice a day.', 'At 9:02 and 15:02, from today on.')
  await at.on('2026-11-02 18:30')
  await at.you('/compact the journey')
  await at.job(
    'routines/news.md',
    {
      cron: '40 12 * * 2,3,4',
      description: 'News about heat pumps',
      background: true,
      isolated: true,
      model: 'anthropic/claude-haiku-5',
    },
    'Find news about heat pumps for old houses. At most one ping a day.',
  )
}

async function lastWeek(at: Teller): Promise<void> {
  answers(
    'ferries to Sicily',
    'Two lines fit: GNV and Grimaldi. What matters most: the cabin, the price or the time?',
  )
  await at.on('2026-11-10 19:05')
  await at.you('/fork --enter -- ferries to Sicily')
  await at.you('/allow ferries')
  for (const [text, ...steps] of FERRIES) await at.you(text, ...steps)
  await at.you('/switch main')
  await at.on('2026-11-10 19:50')
  await at.you(
    'Which insurer pays if the ferry is cancelled?',
    'The line pays the ticket back. The hotel is covered only by a travel insurance with cancellation. You have none.',
  )
  await at.on('2026-11-11 08:20')
  await at.you(
    'Any news from the house?',
    { tool: 'recall', args: { query: 'heat pump old house' } },
    'The heating engineer asked for the floor plan. Everything else is quiet.',
  )
  await at.on('2026-11-11 12:39')
  await at.pass(0.5)
  await at.you(
    'Is the floor plan in my notes?',
    { tool: 'grep', args: { pattern: 'floor plan' } },
    'No, there is nothing under that name.',
  )
  await at.pass(14)
  await at.on('2026-11-11 18:40')
  await at.you(`/switch ${(await at.newest('fork-entered')).branch.slice(-6)}`)
  await at.you('/save')
  await at.on('2026-11-12 03:20')
  await smoke(at)
  await at.on('2026-11-12 08:10')
  await at.you(`/less ${await at.numberOf('articles about heat pumps')}`)
  await at.you(`/less ${await at.numberOf('Three articles about heat pumps')}`)
  await at.you(`/done ${await at.numberOf('Lufthansa')}`)
  await insurers(at)
}

async function insurers(at: Teller): Promise<void> {
  answers(
    'Compare travel insurers',
    {
      tool: 'slash',
      args: { command: 'fork', args: '-- Read the small print of the three cheapest insurers' },
    },
    { tool: 'wait', args: { seconds: 60 } },
    'Three fit: **Allianz** €49 with cancellation, **HanseMerkur** €41 with €100 excess, **ERGO** €44. The small print rules out HanseMerkur: it excludes ferries.',
  )
  answers(
    'Read the small print of the three',
    'HanseMerkur excludes delays of ferries. Allianz and ERGO do not.',
  )
  await at.on('2026-11-12 10:30')
  await at.you('/mark PLAN')
  await at.you('/fork -- Compare travel insurers for two weeks in Sicily: cancellation, illness, luggage')
  await at.pass(3)
  for (const [text, answer] of DETOUR) await at.you(text, answer)
  await at.you('/rewind PLAN')
  await at.pass(2)
  await at.you('/undo')
  await at.you('/redo')
  await at.on('2026-11-13 19:15')
  await at.you(
    'What did the comparison say?',
    'Allianz for €49, with cancellation and without excess. ERGO is €5 cheaper and pays less for luggage.',
  )
}

async function today(at: Teller): Promise<void> {
  await at.on('2026-11-14 09:10')
  await at.you('which one did I say is nicer?', 'You preferred the night ferry from Genoa.')
  await at.you(
    'when does it leave again?',
    { tool: 'recall', args: { query: 'ferry Genoa Palermo leaves' } },
    'The night ferry leaves **Genoa at 22:30** on Saturdays. GNV still has cabins; Mira gets seasick on small boats, and this is a large one.',
  )
  await at.you(
    'Remind me to call the dentist this afternoon at quarter past five.',
    { tool: 'add_reminder', args: { text: 'Call the dentist', when: '17:15' } },
    'I’ll remind you at 17:15.',
  )
  await at.you(
    'I think I prefer cabins with a window. Remember that.',
    { tool: 'remember', args: { line: 'Prefers ferry cabins with a window' } },
    'I proposed it for my memory.',
  )
  await at.you(
    'Put the check-in and the power adapter on my list, and add the train to the notes.',
    [
      { tool: 'todo', args: { action: 'add', text: 'Check in for the ferry', due: 'Friday 18:00' } },
      { tool: 'todo', args: { action: 'add', text: 'Power adapter for Italy' } },
      {
        tool: 'edit',
        args: {
          path: 'notes/sicily.md',
          old: '- Train to Genoa, night ferry to Palermo',
          new: '- Sat 21 Nov: train Berlin 06:29, Genoa 19:37\n- Ferry GNV 22:30, outside cabin, Palermo on Sunday 19:30',
        },
      },
    ],
    'Done: two to-dos, and the train is in `notes/sicily.md`.',
  )
  await at.on('2026-11-14 11:40')
  await people(at)
  await at.on(END)
}

async function people(at: Teller): Promise<void> {
  await at.write('4711', 'Mira', 'Hi, Robin says you can help me with the packing list?')
  const { code } = await at.newest('pairing-asked')
  await at.you(`/pair approve ${code} Mira`)
  answers(
    'What do I pack for Sicily in November?',
    'Layers: 15 to 20 °C by day, 10 at night, and rain every third day. A light jacket, good shoes, and something against seasickness.',
  )
  await at.write('4711', 'Mira', 'What do I pack for Sicily in November?')
  await at.write('4712', 'Jonas K.', 'Hello, is this the assistant?')
}

async function smoke(at: Teller): Promise<void> {
  await at.job(
    'webhooks/smoke.md',
    { description: 'Smoke alarm', fields: { type: 'object', properties: { room: { type: 'string' } } } },
    'A smoke detector of the house went off. Tell me at once, wherever I am.',
  )
  const job = at.life.desk.shelf.jobs().find(({ definition }) => definition.id === 'smoke')
  if (job?.definition.kind === 'webhook')
    await at.life.webhooks.receive(job.definition, {
      key: 'smoke-1',
      hash: '0'.repeat(64),
      payload: { room: 'kitchen' },
    })
  await at.quiet()
}

function ping(message: string): Step {
  return { tool: 'ping_user', args: { message } }
}

function report(message: string): Step {
  return { tool: 'report_updates', args: { message } }
}

function day(): string {
  return new Date().toISOString().slice(0, 10)
}

function inbox(): readonly Step[] {
  const found = MAIL[`${day()} ${new Date().getUTCHours() < 12 ? 'am' : 'pm'}`]
  return found === undefined ? ['Nothing that cannot wait.'] : [ping(found), report(found), 'Reported.']
}

function brief(): readonly Step[] {
  const date = new Date()
  const [sky, degrees] = [SKIES[date.getDate() % SKIES.length], 26 - Math.abs(date.getMonth() - 6) * 4]
  const lines = [`**Weather**: ${sky}, ${degrees} °C.`, DUE[date.getDate() % DUE.length] ?? '']
  return date.getDay() === 1 ? [report(lines.join(' ')), lines.join('\n')] : [lines.join('\n')]
}

const SKIES = ['clear', 'cloudy with some sun', 'rain from noon on', 'fog in the morning', 'windy and dry']
const DUE = [
  '**Today**: standup at 9:30, nothing is due.',
  '**Today**: standup at 9:30, dinner with Jonas at 19:00.',
  '**Due**: the invoice for tidepool’s server.',
  '**Today**: standup at 9:30. The bins go out tonight.',
]

const MAIL: Readonly<Record<string, string>> = {
  '2026-10-28 am': 'The landlord wants to read the meters on Friday between 8 and 10.',
  '2026-11-03 pm': 'Mira’s train from Hamburg is cancelled; the next one arrives at 21:04.',
  '2026-11-11 am': 'Lufthansa moved LH 400 to 14:20.',
  '2026-11-14 am': 'GNV: check-in for the ferry on 21 November opens today.',
}

const BRIEF = 'Give a morning brief: appointments, weather, what is due today. Five lines at most.'

type Line = readonly [when: string, text: string, answer: string]

const SUMMER: readonly Line[] = [
  [
    '2026-07-26 10:10',
    'How long do I have to wait between two coats of linseed oil?',
    'A day in summer, two if it is damp. The shed door needs three thin coats.',
  ],
  [
    '2026-08-02 19:00',
    'Explain CRDTs to me as if I were tired.',
    'Everybody keeps their own copy and writes down what they changed. The changes are made so that it does not matter in which order they arrive: the copies end up equal.',
  ],
  [
    '2026-08-09 21:10',
    'Is it normal that the courgettes rot at the tip?',
    'That is blossom end rot: too little water, too irregular. Water deeply every other day, and pick off the sick ones.',
  ],
  [
    '2026-08-16 12:00',
    'Which running shoes did I like again?',
    'The Saucony Ride, size 44. You said the Asics pressed at the toe.',
  ],
]

const AUTUMN: readonly Line[] = [
  [
    '2026-09-26 11:30',
    'What is a good soup for 12 people?',
    'Ribollita: cheap, better on the second day, and it scales. Beans, cavolo nero, stale bread. Start the evening before.',
  ],
  [
    '2026-10-04 18:45',
    'Where do we stay in Palermo?',
    'Two fit: the big one has a pool, the small one is by the harbour, three minutes from the ferry.',
  ],
  [
    '2026-10-04 18:52',
    'The small one by the harbour.',
    'Good choice. From there you can walk to the market of Ballarò.',
  ],
  [
    '2026-10-11 16:00',
    'How do I tell the tax office that I moved?',
    'You do not have to: the registry tells them. You only update your bank details in ELSTER, if they changed.',
  ],
]

const FERRIES: readonly (readonly [string, ...Step[]])[] = [
  [
    'A real cabin, and not rolling too much.',
    'Then GNV: *La Superba* is 212 m long and has stabilisers. Outside cabins from €164 for two.',
  ],
  ['And Grimaldi?', 'A little cheaper, €149, but with a stop in Cagliari: four hours longer.'],
  [
    'When do they leave?',
    { tool: 'ferry_times', args: { from: 'Genoa' } },
    'GNV on Tuesdays, Thursdays and Saturdays at 22:30 from Genoa; Grimaldi on Wednesdays at 20:00 from Livorno.',
  ],
  ['Saturday the 21st then. Are there cabins left?', 'Yes: 14 outside cabins on GNV, two beds each.'],
  [
    'What do we do about the train?',
    'Berlin 06:29, Milan 17:40, Genoa 19:37. Almost three hours to the ferry; the terminal is a 15-minute walk.',
  ],
  ['Good. That is the plan.', 'Train on Saturday morning, GNV at 22:30, Palermo on Sunday at 19:30.'],
]

const DETOUR: readonly (readonly [string, string])[] = [
  ['What about flying after all?', 'Berlin–Palermo takes 2 h 40, from €79, and emits 310 kg of CO₂ for two.'],
  [
    'And hiring a car there?',
    'From €24 a day in November, with full cover. Parking in Palermo is a sport of its own.',
  ],
  ['And then sleeping in Catania?', 'Then you would see the Etna and miss Palermo. I would not.'],
  ['Forget it. Ferry.', 'Ferry it is.'],
]

const NORMA = `# Pasta alla Norma

For four, 40 minutes.

- 2 aubergines, 800 g tomatoes, 400 g rigatoni, 100 g ricotta salata

1. Salt the aubergines for 20 minutes, dry them, fry them
2. Cook the tomatoes with garlic and basil until thick
3. Toss with the pasta, grate the ricotta over it
`

const SICILY = `# Sicily

- November 2026, two weeks, without a plane
- Train to Genoa, night ferry to Palermo
- Mira: no small boats
`
