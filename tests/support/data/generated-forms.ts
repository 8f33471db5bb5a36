import { fieldNames, type FormValues, type TextFieldName } from '#contract/application.ts'
import { genders, nicChoices, reasons } from '#contract/codes.ts'
import { dialCodes } from '#contract/dial-codes.ts'
import { representativeBirthDate, representativeBirthPlace } from '#contract/parent.ts'
import { birthDate, birthPlace, residence } from '#contract/person.ts'
import { countries } from '#server/seed/countries.ts'
import { departments, localities } from '#server/seed/divisions.ts'
import { occupations } from '#server/seed/occupations.ts'
import { letters, today, tomorrow, yesterday } from './form-cases/form-case.ts'
import { allPeople } from './form-cases/people.ts'
import type { Random } from './random.ts'

/**
 * Returns a complete form, most often with some answers changed to valid, wrong or odd ones. Ids come from the lists of
 * the contract or of the server, or do not have the format of an id.
 */
export function generateForm(random: Random): FormValues {
  const [, form] = random.pick(allPeople)
  const changes = random.chance(0.15) ? 0 : 1 + random.integerBelow(random.pick([1, 2, 4, 8]))
  return Object.assign({ ...form }, ...Array.from({ length: changes }, () => changeSomething(random)))
}

function changeSomething(random: Random): Partial<FormValues> {
  const change = random.pick(changesByKind)
  return change(random)
}

const listed = new Map<TextFieldName, readonly string[]>([
  ['reason', reasons],
  ['gender', genders],
  ['reprGender', genders],
  ['addReprData', ['YES', 'NO']],
  ['selectNic', nicChoices],
  ['placeOfBirth', countries.map(({ id }) => String(id))],
  ['resAddressCountry', countries.map(({ id }) => String(id))],
  ['reprPlaceOfBirth', countries.map(({ id }) => String(id))],
  ['reprCountryOfResidence', countries.map(({ id }) => String(id))],
  ['occupation', occupations.map(({ id }) => id)],
  ['reprOccupation', occupations.map(({ id }) => id)],
])

const places = [birthPlace, residence, representativeBirthPlace]
const births = [birthDate, representativeBirthDate]
const dates = [
  'nicDateOfIssuance',
  'nicDateOfExpiry',
  'eppDateOfIssuance',
  'reprNicDateOfIssuance',
  'reprNicDateOfExpiry',
] as const
const flags = ['dateOfBirthUnknown', 'reprDateOfBirthUnknown'] as const
const special = new Set<string>([
  ...listed.keys(),
  ...places.flatMap(({ region, department, locality }) => [region, department, locality]),
  ...births.flatMap(({ day, month, year }) => [day, month, year]),
  ...dates,
  ...flags,
  'dialCode',
  'phoneNumber',
  'email',
])
const texts = fieldNames.filter(field => !special.has(field))

/** Picked with equal probability. A kind of change with more ways to be wrong appears several times. */
const changesByKind: ((random: Random) => Partial<FormValues>)[] = [
  changeText,
  changeText,
  changeText,
  changeChoice,
  changeChoice,
  changeCountryToAbroad,
  changeDivisions,
  changeDivisions,
  changeBirth,
  changeBirth,
  changeDate,
  changeDate,
  changeCardDates,
  changePhone,
  changePhone,
  changeEmail,
  random => ({ [random.pick(flags)]: random.chance(0.5) }),
  random => ({ [random.pick(fieldNames.filter(isText))]: '' }),
]

function isText(field: string): boolean {
  return !flags.some(flag => flag === field)
}

function changeText(random: Random): Partial<FormValues> {
  const length = random.pick([8, 9, 12, 13, 26, 27, 50, 51, 80, 81, 100, 101, 120])
  const answers = [...oddTexts, letters(length), '𝒜'.repeat(length), ` ${letters(length)} `, 'Ngo', 'Étienne']
  return { [random.pick(texts)]: random.pick(answers) }
}

const oddTexts = [
  '',
  ' ',
  '\u00a0\ufeff',
  '\u200b',
  '  Ngo   Biyong ',
  'N’Guessan',
  "N'Guessan",
  'e\u0301toile',
  'محمد',
  '👩🏽‍🚒',
  'a\0b',
  'half \ud83d',
  '\udc00half',
  'one\r\ntwo',
  'tab\there',
  '<b>&amp;</b>',
  '\u202eback\u202c',
  '0',
  'null',
]

function changeChoice(random: Random): Partial<FormValues> {
  const [field, ids] = random.pick([...listed])
  return { [field]: random.chance(0.8) ? random.pick(ids) : random.pick(['', ' ', '!', 'é', '1'.repeat(41)]) }
}

/** Abroad with a city, so that this branch is often complete. */
function changeCountryToAbroad(random: Random): Partial<FormValues> {
  const { country, city } = random.pick(places)
  return { [country]: '11037', [city]: random.pick(['Paris', 'Paris', letters(26), letters(27), '']) }
}

function changeDivisions(random: Random): Partial<FormValues> {
  const { country, region, department, locality } = random.pick(places)
  const chosen = random.pick(localities)
  const above = departments.find(({ code }) => code === chosen.department)
  const spoil = (id: string) => (random.chance(0.9) ? id : random.pick(['', ' ', '!']))
  return {
    [country]: '10998',
    [region]: spoil(above?.region ?? ''),
    [department]: spoil(chosen.department),
    [locality]: spoil(String(chosen.id)),
  }
}

function changeBirth(random: Random): Partial<FormValues> {
  const { day, month, year } = random.pick(births)
  const years = [
    '1899',
    '1900',
    '1984',
    '2000',
    '2023',
    '2024',
    '2026',
    '2027',
    '62',
    '',
    ' 1990',
    '000001990',
  ]
  return {
    [day]: random.pick(['1', '01', '15', '16', '28', '29', '30', '31', '32', '00', '', 'ab', '000000001']),
    [month]: random.pick(['1', '02', '06', '6', '11', '12', '13', '0', '', 'mai']),
    [year]: random.pick(years),
  }
}

function changeDate(random: Random): Partial<FormValues> {
  return { [random.pick(dates)]: anyDate(random) }
}

/** Both dates of a card at the limits of their rules, most of them next to today. */
function changeCardDates(random: Random): Partial<FormValues> {
  const near = [yesterday, today, tomorrow, '2020-01-01', '2031-05-10']
  return random.chance(0.5)
    ? {
        selectNic: '2',
        nicNumber: '1',
        nicDateOfIssuance: random.pick(near),
        nicDateOfExpiry: random.pick(near),
      }
    : { reprNicNumber: '1', reprNicDateOfIssuance: random.pick(near), reprNicDateOfExpiry: random.pick(near) }
}

function anyDate(random: Random): string {
  const [year, month, day] = [
    1890 + random.integerBelow(160),
    1 + random.integerBelow(12),
    1 + random.integerBelow(31),
  ]
  const [paddedMonth, paddedDay] = [month, day].map(part => String(part).padStart(2, '0'))
  const fixed = [
    '',
    ' ',
    '2020--',
    '--',
    '2020-5-',
    '2023-02-29',
    '0000-01-01',
    '2'.repeat(50),
    '2'.repeat(51),
  ]
  return random.chance(0.6) ? `${year}-${paddedMonth}-${paddedDay}` : random.pick(fixed)
}

function changePhone(random: Random): Partial<FormValues> {
  const digits = Array.from({ length: random.integerBelow(17) }, () => random.integerBelow(10)).join('')
  const code = random.chance(0.9)
    ? random.pick([...dialCodes.map(each => each.code), '237', '33', '1'])
    : random.pick(['', ' ', '0', '9999', '2 3 7', '+237', 'CM'])
  const written = random.pick([
    digits,
    digits.replaceAll(/(..)/g, '$1 '),
    `+${code}${digits}`,
    `00${code} ${digits}`,
    `+${code} (0)${digits}`,
    `0${digits}`,
    `\u202a${digits}\u202c`,
    `${digits}x`,
    `${digits}\0`,
    '9'.repeat(31 + random.integerBelow(80)),
  ])
  return { dialCode: code, phoneNumber: written }
}

function changeEmail(random: Random): Partial<FormValues> {
  const local = 'a'.repeat(1 + random.integerBelow(45))
  const odd = ['', ' ', 'a', 'a@b', ' a@b.cm ', '\u200b', 'é@é.cm', 'a@b..cm', 'a\0@b.cm', 'a\ud83d@b.cm']
  return { email: random.chance(0.5) ? `${local}@example.cm` : random.pick(odd) }
}
