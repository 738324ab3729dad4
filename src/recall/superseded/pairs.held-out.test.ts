import { expect, test } from 'vitest'
import { supersededBy } from '../superseded.ts'

/**
 * Not looked at while the rules were made. When they were first judged, 36 of the 40 were labelled, and 2 of the 60; what
 * was wrong then has been mended since, so another set is needed to measure the next change.
 */
const CONTRADICTED: readonly (readonly [said: string, line: string])[] = [
  ['My optician is Mr. Feld.', 'Optician: Ms. Rao'],
  ['Our babysitter is Noor, by the way.', 'Babysitter: Elif'],
  ["The landlord's name is Costa.", 'Landlord: Ferreira'],
  ['I live in Utrecht with my cat.', 'Lives in Leiden since June'],
  ['I recently moved to Ghent.', 'Moved to Bruges'],
  ["I'm working at Siemens these days.", 'Works at Bosch'],
  ['My wife works at the Charité.', 'Wife works at Vivantes'],
  ["I'm pescatarian.", 'Vegan'],
  ['I am not allergic to cats.', 'Allergic to cats'],
  ['I have a peanut allergy.', 'No peanut allergy'],
  ['I drink milk.', 'No longer drinks milk'],
  ['I eat fish.', 'Does not eat fish'],
  ['We subscribe to the Guardian.', 'No longer subscribes to the Guardian'],
  ['I adore opera.', 'Dislikes opera'],
  ["I don't like spicy food.", 'Likes spicy food'],
  ['I prefer beer to wine.', 'Prefers wine'],
  ['I prefer phone calls.', 'Prefers emails, not phone calls'],
  ['Yoga is at 18:30.', 'Yoga: 19:00'],
  ['The bins are collected on Wednesday.', 'Bins are collected on Friday'],
  ['Our wedding is on 12 September.', 'Wedding: 19 September'],
  ["Mum's birthday is 2 July.", "Mother's birthday: 12 July"],
  ['I earn 3,000 euros.', 'Earns 3,400 euros'],
  ['The mortgage rate is 3.1 %.', 'Mortgage rate: 2.8 %'],
  ['My desk is number 12.', 'Desk: 31'],
  ['The door code is 1984#.', 'Door code: 2001'],
  ['My username is foxy.', 'Username: badger7'],
  ['The router is in the hallway.', 'Router: in the cellar'],
  ['My passport is in the top drawer.', 'Passport: in the safe'],
  ['My favourite pizza is Margherita.', 'Favourite pizza: Diavola'],
  ['My dog is called Lupo.', 'Dog: Nala'],
  ["My son's teacher is Mrs. Brown.", "Son's teacher: Mr. Green"],
  ["You're single, right, so one seat.", 'Married since 2026'],
  ['I understand. Since your doctor is Dr. Adams, I will write to her.', 'Doctor: Dr. Bell'],
  ['I take the train to work.', 'No longer takes the train to work'],
  ['my email is kit@mail.example', 'Email: kit@post.example'],
  ['I wake up at 6 am.', 'Wakes up at 7 am'],
  ['My gym is FitX.', 'Gym: McFit'],
  ['I smoke ten cigarettes a day.', 'Does not smoke'],
  ['Call me Lexi.', 'Name: Alexandra, wants to be called Sasha'],
  ['The team lead is Jonas.', 'Team lead: Miriam'],
]

const COMPATIBLE: readonly (readonly [said: string, line: string])[] = [
  ["Noor's optician is Mr. Feld.", 'Optician: Ms. Rao'],
  ['The optician is open until six.', 'Optician: Ms. Rao'],
  ['The optician is on Main Street.', 'Optician: Ms. Rao'],
  ['Our babysitter is ill.', 'Babysitter: Elif'],
  ["Tom's babysitter is Noor.", 'Babysitter: Elif'],
  ['My parents live in Utrecht.', 'Lives in Leiden'],
  ['I live in the Netherlands.', 'Lives in Leiden'],
  ['I lived in Utrecht until 2020.', 'Lives in Leiden'],
  ['I moved the sofa to the hall.', 'Lives in Leiden'],
  ['We might move to Ghent.', 'Lives in Bruges'],
  ["I've never lived in Ghent.", 'Lives in Bruges'],
  ['My wife works at Siemens.', 'Works at Bosch'],
  ['I work at night.', 'Works at Bosch'],
  ['I worked at Siemens for years.', 'Works at Bosch'],
  ['The vegan cake is for Ana.', 'No longer vegan'],
  ['Ana is vegan.', 'No longer vegan'],
  ['I am allergic to cats.', 'Allergic to cats and dogs'],
  ['I have a cat.', 'Not allergic to cats'],
  ['I do not drink milk.', 'No milk'],
  ['I drink oat milk.', 'No longer drinks milk'],
  ['I like Italian food.', 'Dislikes spicy food'],
  ['Ben likes spicy food.', 'Dislikes spicy food'],
  ['I feel like spicy food tonight.', 'Dislikes garlic'],
  ['I prefer wine with dinner.', 'Prefers beer at parties'],
  ['I prefer phone calls.', 'Prefers calls to emails'],
  ['Yoga is at the gym.', 'Yoga: 19:00'],
  ['Yoga is an hour long.', 'Yoga: 19:00'],
  ["Ana's wedding is on 12 September.", 'Wedding: 19 September'],
  ['The wedding is in Porto.', 'Wedding: 19 September'],
  ['Our wedding is on 19 September 2026.', 'Wedding: 19 September'],
  ['I earn 3,000 euros.', 'Rent: 1,000 euros'],
  ['The mortgage is 3.1 % of my worries.', 'Mortgage rate: 2.8 %'],
  ['Desk 12 is free.', 'Desk: 31'],
  ['What is the door code?', 'Door code: 2001'],
  ['The door code is on a note.', 'Door code: 2001'],
  ['The back door code is 1984.', 'Door code: 2001'],
  ['The router is broken.', 'Router: in the cellar'],
  ['The router is a Fritzbox.', 'Router: in the cellar'],
  ["Ben's passport is in the top drawer.", 'Passport: in the safe'],
  ['My favourite pasta is Carbonara.', 'Favourite pizza: Diavola'],
  ['The dog next door is called Lupo.', 'Dog: Nala'],
  ['My dog is a labrador.', 'Dog: Nala'],
  ["My daughter's teacher is Mrs. Brown.", "Son's teacher: Mr. Green"],
  ['My son is called Finn.', 'Son: Emil'],
  ['Many people are single.', 'Married since 2026'],
  ['A single room is enough.', 'Married since 2026'],
  ['My doctor is Dr. B. Bell.', 'Doctor: Dr. Bell'],
  ['My doctor is a woman.', 'Doctor: Dr. Bell'],
  ['My doctor is worried about Adams.', 'Doctor: Dr. Bell'],
  ['Take the train to work today.', 'No longer takes the train to work'],
  ['My work email is kit@acme.example.', 'Email: kit@post.example'],
  ['I wake up at 6 on Mondays.', 'Wakes up at 6 am'],
  ['The shop opens at 6 am.', 'Wakes up at 7 am'],
  ['The gym is expensive.', 'Gym: McFit'],
  ['The Berlin team lead is Jonas.', 'Team lead: Miriam'],
  ['Jonas wants to be team lead.', 'Team lead: Miriam'],
  ["Jonas is Miriam's brother.", 'Team lead: Miriam'],
  ['I promised Lexi a call.', 'Name: Alexandra'],
  ['My dentist, who is great, is called Ono.', 'Dentist: Dr. Ono'],
  ['We could ask whether the dentist is Kim.', 'Dentist: Dr. Ono'],
]

const SAID_AT = Date.UTC(2026, 2, 1)
const SINCE = Date.UTC(2026, 4, 1)

function labelled(pairs: typeof CONTRADICTED): string[] {
  return pairs
    .filter(([said, line]) => supersededBy(said, SAID_AT, [{ text: line, since: SINCE }]) !== undefined)
    .map(([said, line]) => `${said} | ${line}`)
}

test('of the labels that are given at least 19 in 20 are right, and of what is contradicted at least 17 in 20 are labelled', () => {
  const [right, wrong] = [labelled(CONTRADICTED), labelled(COMPATIBLE)]
  expect(wrong.length).toBeLessThanOrEqual((right.length + wrong.length) / 20)
  expect(right.length / CONTRADICTED.length).toBeGreaterThanOrEqual(0.85)
})
