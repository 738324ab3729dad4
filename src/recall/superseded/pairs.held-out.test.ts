import { expect, test } from 'vitest'
import { supersededBy } from '../superseded.ts'

/**
 * Not looked at while the rules were made. When they were first judged, 25 of the 30 were labelled, and 1 of the 50, which
 * has been mended since: another set is needed to measure the next change.
 */
const CONTRADICTED: readonly (readonly [said: string, line: string])[] = [
  ['My physio is Clara Nowak.', 'Physio: Jan Bauer'],
  ['btw our electrician is Mr Singh', 'Electrician: Mr. Petrov'],
  ['I now live in Bristol.', 'Lives in Bath'],
  ['I live at 12 Hill Road.', 'Lives at 7 Lake Road'],
  ['I work for Deloitte as an auditor.', 'Works for KPMG'],
  ["You're vegetarian, so here are five recipes without meat.", 'Eats meat again, no longer vegetarian'],
  ['I can eat gluten.', 'Cannot eat gluten'],
  ["I'm not afraid of flying.", 'Afraid of flying'],
  ['I love horror films.', 'Hates horror films'],
  ['I prefer the window seat.', 'Prefers the aisle seat'],
  ['I prefer to be emailed; I prefer mornings.', 'Prefers evenings'],
  ['Choir practice is on Monday at 19:00.', 'Choir practice: Monday at 20:00'],
  ['My flight to Rome leaves on 4 April.', 'Flight to Rome leaves on 6 April'],
  ['My therapist charges 90 euros.', 'Therapist charges 110 euros'],
  ['My customer number is 448812.', 'Customer number: 990017'],
  ['The PIN is 4321.', 'PIN: 8765'],
  ['The guest wifi password is banana.', 'Guest wifi password: papaya'],
  ['The spare keys are at the office.', 'Spare keys: with Ana'],
  ['My best friend is Jo.', 'Best friend: Kit'],
  ['My girlfriend is called Mia.', 'Girlfriend: Zoe'],
  ["Leo's school is St. Mark.", "Leo's school: Hilltop"],
  ['My tax advisor is Ms. Hart.', 'Tax advisor: Mr. Wolf'],
  ['I go to the gym on Tuesdays.', 'Goes to the gym on Thursdays'],
  ['I do yoga every day.', 'No longer does yoga'],
  ['I have a motorbike.', 'No longer has a motorbike'],
  ['I read the newspaper in the morning.', 'Does not read the newspaper any more'],
  ['I speak Italian.', 'Does not speak Italian'],
  ['My hourly rate is $80.', 'Hourly rate: $95'],
  ['Our car is a Fiat.', 'Car: Renault'],
  ['My emergency contact is Dana Fox.', 'Emergency contact: Lee Fox-Moss'],
]

const COMPATIBLE: readonly (readonly [said: string, line: string])[] = [
  ["My son's physio is Clara Nowak.", 'Physio: Jan Bauer'],
  ['My physio is from Poland.', 'Physio: Jan Bauer'],
  ['My physio is J. Bauer.', 'Physio: Jan Bauer'],
  ['Is Mr Singh still our electrician?', 'Electrician: Mr. Petrov'],
  ['Mr Singh is an electrician.', 'Electrician: Mr. Petrov'],
  ['I live near Bristol University.', 'Lives in Bristol'],
  ['My office is in Bristol.', 'Lives in Bath'],
  ['She lives in Bristol.', 'Lives in Bath'],
  ['I live in England.', 'Lives in Bath'],
  ['I live with Jo.', 'Lives in Bath'],
  ['I work for Deloitte.', 'Works for Deloitte in Leeds'],
  ['I work with KPMG a lot.', 'Works for Deloitte'],
  ['Vegetarian recipes are easy.', 'No longer vegetarian'],
  ['My kids eat gluten.', 'Cannot eat gluten'],
  ['Jo is afraid of flying.', 'Not afraid of flying'],
  ['I love films.', 'Hates horror films'],
  ['I love old horror films.', 'Loves horror films'],
  ['I prefer the window seat on trains.', 'Prefers the aisle seat on planes'],
  ['I prefer Rome.', 'Prefers the aisle seat'],
  ['Choir practice is in the church.', 'Choir practice: Monday at 20:00'],
  ['Choir practice is at 8 pm.', 'Choir practice: Monday at 20:00'],
  ['The Choir concert is on Friday.', 'Choir practice: Monday at 20:00'],
  ['My flight to Oslo leaves on 4 April.', 'Flight to Rome leaves on 6 April'],
  ['My flight leaves on April 6th.', 'Flight leaves on 2026-04-06'],
  ['The therapist is closed on 24 December.', 'Therapist charges 110 euros'],
  ['My order number is 448812.', 'Customer number: 990017'],
  ['The PIN is in my wallet.', 'PIN: 8765'],
  ['Never share the PIN 1234.', 'PIN: 8765'],
  ['The wifi password is banana.', 'Guest wifi password: papaya'],
  ['The spare keys are heavy.', 'Spare keys: with Ana'],
  ['My best friend is getting married.', 'Best friend: Kit'],
  ['My best friend is Kit Moss.', 'Best friend: Kit'],
  ["Jo's girlfriend is called Mia.", 'Girlfriend: Zoe'],
  ['My girlfriend is at the Louvre.', 'Girlfriend: Zoe'],
  ['The school is St. Mark.', "Leo's school: Hilltop"],
  ['Leo likes school.', "Leo's school: Hilltop"],
  ['The gym opens on Tuesdays.', 'Goes to the gym on Thursdays'],
  ['I did yoga yesterday.', 'No longer does yoga'],
  ['My sister does yoga.', 'No longer does yoga'],
  ['I have a motorbike licence.', 'No longer has a motorbike'],
  ['I would like a motorbike.', 'No longer has a motorbike'],
  ['I speak Italian and French.', 'Speaks French'],
  ['Jo speaks Italian.', 'Does not speak Italian'],
  ["Jo's hourly rate is $80.", 'Hourly rate: $95'],
  ['The hourly rate is fair.', 'Hourly rate: $95'],
  ['The rental car is a Fiat.', 'Car: Renault'],
  ['Our car is new.', 'Car: Renault'],
  ['I wrote to Dana Fox, my contact at the bank.', 'Emergency contact: Lee Fox-Moss'],
  ['Remember to ask if the dentist is Kim.', 'Dentist: Dr. Ono'],
  ['"My dentist is Dr. Kim," says the man in the film.', 'Dentist: Dr. Ono'],
]

const SAID_AT = Date.UTC(2026, 2, 1)
const SINCE = Date.UTC(2026, 4, 1)

function labelled(pairs: typeof CONTRADICTED): string[] {
  return pairs
    .filter(([said, line]) => supersededBy(said, SAID_AT, [{ text: line, since: SINCE }]) !== undefined)
    .map(([said, line]) => `${said} | ${line}`)
}

test('of the labels that are given at least 19 in 20 are right, and of what is contradicted at least 4 in 5 are labelled', () => {
  const [right, wrong] = [labelled(CONTRADICTED), labelled(COMPATIBLE)]
  expect(wrong.length).toBeLessThanOrEqual((right.length + wrong.length) / 20)
  expect(right.length / CONTRADICTED.length).toBeGreaterThanOrEqual(0.8)
})
