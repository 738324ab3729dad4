import { expect, test } from 'vitest'
import { supersededBy } from '../superseded.ts'

type Pair = readonly [said: string, line: string]

/**
 * Written down before the rules for times, numbers and complements were changed, and not looked at since. Before that
 * change 23 of the 40 were labelled, and 6 of the 49; after it 37 and 1. Nobody tunes the rules to them.
 */
const CONTRADICTED: Readonly<Record<string, readonly Pair[]>> = {
  times: [
    ['My train to Vienna departs at 6:50.', 'Train to Vienna departs at 8:20'],
    ['The ferry sails at noon.', 'The ferry sails at 14:00'],
    ['Pilates starts at 18:00 on Wednesdays.', 'Pilates starts at 19:30 on Wednesdays'],
    ['I pick up the kids at 3 pm.', 'I pick up the kids at 4 pm'],
    ['My appointment with the notary is on 9 June at 10.', 'Appointment with the notary: 16 June'],
    ['The lease ends on 31 March.', 'Lease ends on 30 June'],
    ['I have lunch at 12:30.', 'I have lunch at 13:00'],
  ],
  numbers: [
    ['I pay 45 euros a month for the gym.', 'I pay 60 euros a month for the gym'],
    ['We have three cats.', 'We have two cats'],
    ['I take two tablets of magnesium a day.', 'I take one tablet of magnesium a day'],
    ['My cholesterol is 210.', 'Cholesterol: 180'],
    ['The subscription costs $12.', 'The subscription costs $15'],
    ['I run 5 km on Sundays.', 'I run 10 km on Sundays'],
    ['My flat has 3 rooms.', 'My flat has 4 rooms'],
  ],
  places: [
    ['I keep my passport in the desk.', 'I keep my passport in the safe'],
    ['I park my bike in the yard.', 'I park my bike in the cellar'],
    ['The meeting takes place in room 204.', 'The meeting takes place in room 311'],
    ['My parents live in Salzburg.', 'My parents live in Linz'],
    ['The conference is in Lyon.', 'Conference: in Nice'],
    ['My daughter goes to school in Delft.', 'My daughter goes to school in Leiden'],
  ],
  habits: [
    ['I drink my tea with sugar.', 'I drink tea without sugar'],
    ['I take my eggs scrambled.', 'I take my eggs fried'],
    ['I like my steak rare.', 'I like my steak well done'],
    ['I go to work by bike.', 'I go to work by bus'],
    ['I sleep with the window open.', 'I sleep with the window closed'],
    ['I shower in the evening.', 'I shower in the morning'],
    ['I write my notes in Obsidian.', 'I write my notes in Notion'],
    ['I do my shopping on Saturdays.', 'I do my shopping on Fridays'],
  ],
  people: [
    ['My cleaner is called Olga.', 'My cleaner is called Pilar'],
    ['Marta looks after the dog.', 'Jens looks after the dog'],
    ['I see Dr. Roth for my back.', 'I see Dr. Haas for my back'],
    ['My project lead is Ines.', 'My project lead is Tariq'],
    ["Ben's godfather is Luis.", "Ben's godfather is Karl"],
    ['I share my office with Nadia.', 'I share my office with Piotr'],
  ],
  negations: [
    ['I eat breakfast.', "I don't eat breakfast"],
    ['I wear glasses.', 'I no longer wear glasses'],
    ['We are not going to Greece this summer.', 'We are going to Greece this summer'],
    ['My landlord allows pets.', 'My landlord does not allow pets'],
    ['I never drink alcohol.', 'I drink alcohol'],
    ["My son can't swim.", 'My son can swim'],
  ],
}

const COMPATIBLE: Readonly<Record<string, readonly Pair[]>> = {
  times: [
    ['My train to Vienna departs at 6:50.', 'Train to Graz departs at 8:20'],
    ['My train to Vienna departs at 6:50.', 'Train from Vienna departs at 18:20'],
    ['The ferry sails at noon.', 'The ferry arrives at 14:00'],
    ['Pilates starts at 18:00 on Wednesdays.', 'Pilates starts at 19:30 on Fridays'],
    ['I pick up Leo at 3 pm.', 'I pick up Mia at 4 pm'],
    ['I have lunch at half past twelve.', 'I have lunch at 12:30'],
    ['The lease began on 1 April.', 'The lease ends on 1 June'],
    ['I got up at 5 today.', 'I get up at 7'],
    ['Flight to Oslo leaves at 9:15 pm.', 'Flight to Oslo leaves at 21:15'],
  ],
  numbers: [
    ['I pay 45 euros a month for the gym.', 'I pay 60 euros a month for music lessons'],
    ['We have three cats.', 'We have two dogs'],
    ['I ran 12 km on Sunday.', 'I run 10 km on Sundays'],
    ['I run 5 km on Tuesdays.', 'I run 10 km on Sundays'],
    ['My flat has 3 rooms.', 'My flat has 80 square metres'],
    ['The subscription costs $12 a month.', 'The subscription costs $144 a year'],
    ['The ticket costs 20 euros for children.', 'The ticket costs 35 euros for adults'],
    ['I drank two cups of coffee this morning.', 'I drink four cups of coffee a day'],
  ],
  places: [
    ['I keep my passport in the desk.', 'I keep my keys in the drawer'],
    ['My parents live in Salzburg.', 'My parents live in Austria'],
    ['I park at the station on Mondays.', 'I park in the yard at weekends'],
    ['I put my passport in the bag for the trip.', 'I keep my passport in the safe'],
    ["Tom's parents live in Salzburg.", 'My parents live in Linz'],
    ['The conference in Lyon was great.', 'Conference: in Nice'],
    ['I work from home on Fridays.', 'I work in the office on Mondays'],
  ],
  habits: [
    ['I drink tea with my sister.', 'I drink tea without sugar'],
    ['I drink coffee with friends.', 'I drink coffee with milk'],
    ['I drink coffee at work.', 'I drink coffee with milk'],
    ['I like my steak rare.', 'I like steak with pepper'],
    ['I go to work by bike.', 'I go to the gym by bus'],
    ['I read novels in the evening.', 'I read the news in the morning'],
    ['I go to work by bike in summer.', 'I go to work by bus in winter'],
    ['I write my notes in Obsidian.', 'I write my letters in Word'],
    ['I play tennis with Jo.', 'I play tennis with Kim'],
    ['I drink coffee in the morning.', 'I drink coffee in the afternoon'],
    ['I cook on Sundays.', 'I cook with gas'],
  ],
  people: [
    ['My colleague is called Olga.', 'My colleague is called Pilar'],
    ['I see Dr. Roth for my back.', 'I see Dr. Haas for my eyes'],
    ['Marta looks after the dog.', 'Jens looks after the garden'],
    ['I met Nadia at the office.', 'I share my office with Piotr'],
    ["My brother's project lead is Ines.", 'My project lead is Tariq'],
    ['I am visiting Ana on Friday.', 'I am visiting Ben on Sunday'],
  ],
  negations: [
    ['I eat breakfast.', "I don't eat breakfast at work"],
    ['I wear glasses.', 'I no longer wear contact lenses'],
    ["I don't eat pork.", 'I eat beef'],
    ['I never drink alcohol at lunch.', 'I drink alcohol'],
    ['My son can swim.', "My daughter can't swim"],
    ['My landlord allows pets.', 'My landlord does not allow smoking'],
    ['I did not eat breakfast today.', 'I eat breakfast'],
    ["I can't come on Friday.", 'I can come on Saturday'],
  ],
}

const SAID_AT = Date.UTC(2026, 2, 1)
const SINCE = Date.UTC(2026, 4, 1)

function labelled(pairs: Readonly<Record<string, readonly Pair[]>>): string[] {
  return Object.values(pairs)
    .flat()
    .filter(([said, line]) => supersededBy(said, SAID_AT, [{ text: line, since: SINCE }]) !== undefined)
    .map(([said, line]) => `${said} | ${line}`)
}

test('of the labels that are given at least 19 in 20 are right, and of what is contradicted at least 9 in 10 are labelled', () => {
  const [right, wrong] = [labelled(CONTRADICTED), labelled(COMPATIBLE)]
  expect(wrong.length).toBeLessThanOrEqual((right.length + wrong.length) / 20)
  expect(right.length / Object.values(CONTRADICTED).flat().length).toBeGreaterThanOrEqual(0.9)
})
