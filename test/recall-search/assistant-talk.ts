import { AT, DAY, MINUTE, type Said } from './said.ts'

/** What a person asked, what the assistant answered, what the person said to that, and what the person asks later. */
export const topics: readonly (readonly [asked: string, answer: string, then: string, later: string])[] = [
  [
    'My sourdough keeps coming out flat, what can I do about the dough?',
    'A flat loaf mostly means a weak starter or a dough that rested too long. Feed the starter twice a day with rye flour, and proof the loaf in the fridge overnight at four degrees.',
    'Thanks, I will try the dough again on Sunday, my last sourdough was like a brick.',
    'Which flour did you recommend for feeding the sourdough starter?',
  ],
  [
    'I want to run a half marathon in October. How should I train for the half marathon?',
    'Twelve weeks are enough. Run three times a week, and keep the long run on Saturday at a pace at which you can still talk. From week nine on, add four hill sprints.',
    'Great, the half marathon is on October 12, I signed up with Petra.',
    'How many hill sprints did you suggest for my half marathon training?',
  ],
  [
    'Our kitchen tap drips all night. Can I fix the tap myself?',
    'You can. Close the valve under the sink, pull the cap off, and swap the ceramic cartridge, which costs about fifteen euros. Grease the seal with silicone and never with oil.',
    'I bought a new tap anyway, the old tap was from 1990.',
    'What did you say I should grease the seal of the tap with?',
  ],
  [
    'What could I cook for six guests, two of them vegetarian?',
    'For six guests I would make a mushroom Wellington with a red wine sauce, roasted carrots and a potato gratin. It can be prepared in the morning and needs forty minutes in the oven.',
    'The guests come at seven, and Jonas brings the wine for all six.',
    'Which main course did you propose for my six guests?',
  ],
  [
    'My laptop battery only lasts two hours now. Is the battery dead?',
    'Two hours after four years is normal. Look at the cycle count first: above eight hundred a new battery pays off. Until then, lower the brightness and close the browser tabs that play videos.',
    'The laptop is from 2021, and the battery was always weak.',
    'Above which cycle count did you say a new laptop battery pays off?',
  ],
  [
    'I have an interview at a bank next week. How do I prepare for the interview?',
    'Read the annual report, and prepare three stories by the STAR method. When they ask for your salary, name a range from 62,000 to 68,000 and not one number.',
    'The interview is on Tuesday with Ms Okafor from the bank, I am nervous.',
    'What salary range did you advise me to name in the interview?',
  ],
  [
    'Which plants survive on a balcony to the north?',
    'Without direct sun take ferns, hostas, ivy and begonias. Fuchsias bloom there until frost. Water them in the evening, and put clay shards on the bottom of each pot.',
    'I love the balcony, even if it faces north and the plants suffer.',
    'What should I put on the bottom of the pots, according to your advice about balcony plants?',
  ],
  [
    'How do I get red wine out of a linen shirt?',
    'Blot it, do not rub. Soak the linen in sparkling water with a spoon of baking soda for half an hour, then wash it at forty degrees. Never put it into the dryer before the stain is gone.',
    'The shirt was a gift of my sister, and the wine was mine.',
    'You told me to soak the linen shirt in something, what was it?',
  ],
  [
    'Can you explain how compound interest works for my savings?',
    'Interest is paid on interest. With 200 a month at five percent you have about 31,000 after ten years, though you paid in only 24,000. The rule of 72 tells when money doubles.',
    'I save 200 a month since March, my savings grow slowly.',
    'What was the rule you explained that tells when my savings double?',
  ],
  [
    'We want a name for the puppy, something short.',
    'Short names that end in a vowel carry well. My favourites for a small brown dog are Momo, Kiwi and Tofu. Avoid names that sound like a command, such as Kit for sit.',
    'The puppy arrives on Friday, the children fight about the name already.',
    'Which names did you suggest for the puppy?',
  ],
  [
    'My Spanish is stuck. How do I learn more Spanish words?',
    'Learn words in sentences. Twenty cards a day with spaced repetition are plenty, and fifteen minutes of a podcast such as Radio Ambulante. Speak with a tandem partner once a week.',
    'I have my Spanish class on Wednesdays with Lucía.',
    'What podcast did you mention for my Spanish?',
  ],
  [
    'Our baby wakes up every two hours at night, we are so tired.',
    'At five months that is a phase. Put the baby down drowsy but awake, keep the room at eighteen degrees, and take turns: one parent until two, the other one from two on.',
    'We are tired, and the baby got the first tooth at night.',
    'What room temperature did you tell me is best for the baby at night?',
  ],
  [
    'I need a routine for my lower back pain.',
    'Three exercises twice a day help: bird dog, glute bridge and the dead bug, ten repetitions each. If the pain goes down into the leg, see a doctor and stop the routine.',
    'My back pain began when I moved the piano in spring.',
    'Can you remind me of the three exercises you gave me for my back pain?',
  ],
  [
    'How should I back up my photos? I have two terabytes of photos.',
    'Keep three copies on two kinds of media with one of them elsewhere. For two terabytes I would take an external disk at home, Backblaze as the copy elsewhere, and a yearly test of the restore.',
    'The photos go back to 2004, most are of our travels.',
    'Which service did you name for the copy of my photos elsewhere?',
  ],
  [
    'Is it worth to insulate the attic of a house from 1965?',
    'Almost always. Cellulose blown between the rafters costs about 45 euros a square metre and is back in six years. Ask for the subsidy before you sign, afterwards it is refused.',
    'The attic has ninety square metres, the house belonged to my uncle since 1965.',
    'What material did your answer about the attic recommend?',
  ],
  [
    'Please write a short toast for the wedding of my brother.',
    'Dear Emil, dear Sofia: a marriage is like your old boat, it leaks a little, it needs paint every spring, and nobody else may steer it. To the two captains, and fair winds!',
    'The wedding was lovely, and my brother cried at the toast.',
    'What did you compare a marriage to in the toast you wrote for my brother?',
  ],
  [
    'How can I stop the cat from scratching the sofa?',
    'Cats scratch to mark. Put a sisal post right beside the sofa, rub it with valerian, and cover the corner with double sided tape for a month. Do not shout, it makes the cat scratch in secret.',
    'The cat is called Minka, the sofa is nearly new.',
    'What did you say I should rub the post for the cat with?',
  ],
  [
    'We have three days in Lisbon, what should we see in Lisbon?',
    'Day one Alfama and the tram 28 before nine. Day two Belém, with the tiles museum in the afternoon. Day three the train to Sintra, where Quinta da Regaleira beats the crowded Pena palace.',
    'We fly to Lisbon on May 3, the hotel is near the river.',
    'Which place in Sintra did you prefer for our days in Lisbon?',
  ],
  [
    'My daughter has trouble with fractions, how do I explain fractions?',
    'Use a bar of chocolate with twelve pieces. A half is six, a third is four, so a half and a third are ten of twelve. Only after she saw it on the bar, write it down with numbers.',
    'My daughter has a test about fractions on Thursday.',
    'With what did you suggest to explain fractions to my daughter?',
  ],
  [
    'How do I ask my boss for a day of home office?',
    'Offer a trial: every Friday for eight weeks, with a list of what got done. Bosses refuse promises and accept trials. Mention the commute of 90 minutes last, not first.',
    'My boss is back from holiday on Monday, then I ask for home office.',
    'How long a trial did you advise me to offer my boss?',
  ],
  [
    'What is a good tyre pressure for my gravel bike?',
    'At 80 kilos with tyres of 40 millimetres, take 2.4 bar in front and 2.6 in the back. On wet forest roads let 0.3 out. Tubeless tyres may go a little lower still.',
    'I ride the gravel bike to work when it is dry.',
    'What pressure did you tell me for the front tyre of the gravel bike?',
  ],
  [
    'My knitting curls at the edges, the scarf looks like a tube.',
    'Stockinette always curls. Add five stitches of garter on each side, and block the scarf: soak it, pin it flat, and let it dry for a day. A bigger needle helps, too.',
    'The scarf is for my grandmother, in the green wool she likes.',
    'How many stitches of garter did you say the scarf needs?',
  ],
  [
    'Should we adopt Rust or stay with Go for the importer?',
    'Stay with Go: the importer waits for the network, not for the processor. If one part gets hot, move only the parser into a small Rust library over cgo, and measure with pprof before.',
    'The team decides about the importer on Thursday, most of them know Go.',
    'Which tool did you want us to measure the importer with?',
  ],
  [
    'I cannot fall asleep after late calls with the office in Denver.',
    'Late light is the culprit. Take thirty minutes without screens after the call, write tomorrow on a sheet of paper, and try magnesium glycinate. No coffee after one o’clock on such days.',
    'The calls with Denver end at ten, then I lie awake.',
    'Which supplement was I told to try so that I fall asleep?',
  ],
]

const FRAME = [
  'Good question, and one that many people have. Here is what matters most, in short, and then a few hints so that you can decide for yourself what suits you and what you leave out.',
  'If you would like, I can put this into a list, make a plan with dates out of it, or look at it again once you tried the first step. Small steps are better than one big change, and a note of what worked saves time later. Tell me how it goes, and what else I should know about your situation.',
]

/** The whole talk, a topic a day. Every answer is long, as answers of an assistant are. */
export const assistantTalk: readonly Said[] = topics.flatMap(([asked, answer, then], day): Said[] =>
  [asked, `${FRAME[0]}\n\n${answer}\n\n${FRAME[1]}`, then].map((text, at) => ({
    by: at === 1 ? 'assistant' : 'Anna',
    text,
    at: AT + day * DAY + at * MINUTE,
  })),
)
