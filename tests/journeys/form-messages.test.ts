import { describe, expect, it } from 'vitest'
import { type FieldName, fieldNames, type Tab } from '#contract/application.ts'
import { type Language, languages } from '#contract/codes.ts'
import { type IssueCode, issueCodes } from '#contract/issues.ts'
import { issueKey } from '#i18n/issue-text.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { dateInDays } from '#support/data/dates.ts'
import { type Answers, createFormPage, type Question } from '#support/browsers/form-page.ts'
import { isFullRun, testedLanguages } from '#support/test-tier.ts'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { textsOf } from '#support/data/texts.ts'

const fixture = joinBrowserFixture()

type Faults = Partial<Record<Question, IssueCode>>
/**
 * One round on a tab of the form: the applicant gives `answers` and presses Continue or Submit. Then the tab shows
 * exactly the messages of `faults`, in this order from top to bottom; without faults the next tab opens.
 */
type Round = {
  tab: Tab
  /** The rows of the requirements, and what the round tests; part of the message when it fails. */
  rows: string
  answers: Answers
  faults: Faults
}

const letters = (count: number) => 'é'.repeat(count)
/**
 * `tomorrow` is the day after tomorrow, which stays in the future when midnight passes during the test. Unit tests with
 * a fake clock test the real tomorrow.
 */
const [yesterday, tomorrow] = [dateInDays(-1), dateInDays(2)]
const [tomorrowsYear = '', tomorrowsMonth = '', tomorrowsDay = ''] = tomorrow.split('-')
const france = '11037'

/** One applicant, signed in by phone, goes through the tabs; each round continues from the answers of the previous one. */
const rounds: Round[] = [
  {
    tab: 'GeneralData',
    rows: 'FRM12, GEN02–GEN04: nothing answered',
    answers: { reason: '' },
    faults: { reason: 'required', travelDestination: 'required', reasonForTravel: 'required' },
  },
  {
    tab: 'GeneralData',
    rows: 'GEN03, GEN04: 101 characters',
    answers: { reason: '11212', travelDestination: letters(101), reasonForTravel: letters(101) },
    faults: { travelDestination: 'too-long-100', reasonForTravel: 'too-long-100' },
  },
  {
    tab: 'GeneralData',
    rows: 'a null character, which no keyboard types and no database stores',
    answers: { travelDestination: 'Fr\u0000nce', reasonForTravel: letters(100) },
    faults: { travelDestination: 'not-valid' },
  },
  { tab: 'GeneralData', rows: '', answers: { travelDestination: letters(100) }, faults: {} },
  {
    tab: 'PersonData',
    rows: 'PER02, PER05, PER09, PER19, PER21, S23: nothing answered',
    answers: {},
    faults: {
      surname: 'required',
      dateOfBirth: 'required',
      regionCode: 'required',
      departmentCode: 'required',
      localityId: 'required',
      resAddressRegionCode: 'required',
      resAddressDepartmentCode: 'required',
      resAddressLocalityId: 'required',
      resAddressStreet: 'required',
    },
  },
  {
    tab: 'PersonData',
    rows: 'PER08, PER18: no country',
    answers: { placeOfBirth: '', resAddressCountry: '' },
    faults: {
      surname: 'required',
      dateOfBirth: 'required',
      placeOfBirth: 'required',
      resAddressCountry: 'required',
      resAddressStreet: 'required',
    },
  },
  {
    tab: 'PersonData',
    rows: 'PER10, PER17, PER20: another country, another occupation',
    answers: { placeOfBirth: france, occupation: '33', resAddressCountry: france },
    faults: {
      surname: 'required',
      dateOfBirth: 'required',
      city: 'required',
      otherOccupation: 'required',
      resAddressCity: 'required',
      resAddressStreet: 'required',
    },
  },
  {
    tab: 'PersonData',
    rows: 'PER01, PER02, PER10, PER15, PER17, PER20, PER21, S69: one character too many; 31 February',
    answers: {
      surname: letters(101),
      givenName: letters(101),
      dayOfBirth: '31',
      monthOfBirth: '02',
      yearOfBirth: '1990',
      city: letters(27),
      email: `${'a'.repeat(40)}@exemple.cm`,
      otherOccupation: letters(27),
      resAddressCity: letters(27),
      resAddressStreet: letters(81),
    },
    faults: {
      surname: 'too-long-100',
      givenName: 'too-long-100',
      dateOfBirth: 'date-impossible',
      city: 'too-long-26',
      email: 'too-long-50',
      otherOccupation: 'too-long-26',
      resAddressCity: 'too-long-26',
      resAddressStreet: 'too-long-80',
    },
  },
  {
    tab: 'PersonData',
    rows: 'PER16, PER06, LIM04: an invalid e-mail address; the last day of 1899',
    answers: {
      surname: letters(100),
      givenName: letters(100),
      dayOfBirth: '31',
      monthOfBirth: '12',
      yearOfBirth: '1899',
      city: letters(26),
      email: 'awa@@exemple.cm',
      otherOccupation: letters(26),
      resAddressCity: letters(26),
      resAddressStreet: letters(80),
    },
    faults: { dateOfBirth: 'date-too-early', email: 'email-invalid' },
  },
  {
    tab: 'PersonData',
    rows: 'PER06, LIM04: born tomorrow; an e-mail address of 50 characters',
    answers: {
      dayOfBirth: tomorrowsDay,
      monthOfBirth: tomorrowsMonth,
      yearOfBirth: tomorrowsYear,
      email: `${'a'.repeat(39)}@exemple.cm`,
    },
    faults: { dateOfBirth: 'date-in-future' },
  },
  {
    tab: 'PersonData',
    rows: 'a day of nine digits',
    answers: { dayOfBirth: '123456789' },
    faults: { dateOfBirth: 'too-long-8' },
  },
  {
    tab: 'PersonData',
    rows: 'PER05, PER07: only the year is required, and it is missing',
    answers: { dateOfBirthUnknown: true },
    faults: { dateOfBirth: 'required' },
  },
  {
    tab: 'PersonData',
    rows: 'PER06: the year 1899',
    answers: { yearOfBirth: '1899' },
    faults: { dateOfBirth: 'date-too-early' },
  },
  {
    tab: 'PersonData',
    rows: 'PER06: next year',
    answers: { yearOfBirth: String(Number(tomorrowsYear) + 1) },
    faults: { dateOfBirth: 'date-in-future' },
  },
  {
    tab: 'PersonData',
    rows: 'two digits of the year',
    answers: { yearOfBirth: '19' },
    faults: { dateOfBirth: 'year-four-digits' },
  },
  {
    tab: 'PersonData',
    rows: '',
    answers: {
      yearOfBirth: '1900',
      placeOfBirth: firstPassport.placeOfBirth,
      regionCode: firstPassport.regionCode,
      departmentCode: firstPassport.departmentCode,
      localityId: firstPassport.localityId,
    },
    faults: {},
  },
  {
    tab: 'ParentData',
    rows: 'PAR01, PAR03: nothing answered',
    answers: {},
    faults: { motherSurname: 'required', addReprData: 'required' },
  },
  {
    tab: 'ParentData',
    rows: 'PAR01, PAR02: 101 characters; REP04, REP05: a representative without any answer',
    answers: {
      motherSurname: letters(101),
      motherGivenName: letters(101),
      fatherSurname: letters(101),
      fatherGivenName: letters(101),
      addReprData: 'YES',
    },
    faults: {
      motherSurname: 'too-long-100',
      motherGivenName: 'too-long-100',
      fatherSurname: 'too-long-100',
      fatherGivenName: 'too-long-100',
      reprSurname: 'required',
      reprGender: 'required',
      reprDateOfBirth: 'required',
      reprPlaceOfBirth: 'required',
      reprCountryOfResidence: 'required',
    },
  },
  {
    tab: 'ParentData',
    rows: 'REP06, REP08, REP09: the fields that a birthplace in Cameroon, another occupation and a card require',
    answers: {
      motherSurname: letters(100),
      motherGivenName: letters(100),
      fatherSurname: letters(100),
      fatherGivenName: letters(100),
      reprPlaceOfBirth: '10998',
      reprOccupation: '33',
      reprNicNumber: '1',
    },
    faults: {
      reprSurname: 'required',
      reprGender: 'required',
      reprDateOfBirth: 'required',
      reprRegionCode: 'required',
      reprDepartmentCode: 'required',
      reprLocalityId: 'required',
      reprCountryOfResidence: 'required',
      reprOtherOccupation: 'required',
      reprNicDateOfIssuance: 'required',
      reprNicDateOfExpiry: 'required',
    },
  },
  {
    tab: 'ParentData',
    rows: 'REP03, REP04, REP07, REP08, REP10: one character too many; a date without month and day; 31 April',
    answers: {
      reprSurname: letters(101),
      reprGivenName: letters(101),
      reprGender: '11216',
      reprDayOfBirth: '31',
      reprMonthOfBirth: '04',
      reprYearOfBirth: '1980',
      reprPlaceOfBirth: france,
      reprCountryOfResidence: '10998',
      reprOtherOccupation: letters(27),
      reprNicNumber: letters(51),
      reprNicDateOfIssuance: `${'2'.repeat(45)}-01-01`,
      reprNicDateOfExpiry: '2030--',
      reprNicPlaceOfIssuance: letters(101),
    },
    faults: {
      reprSurname: 'too-long-100',
      reprGivenName: 'too-long-100',
      reprDateOfBirth: 'date-impossible',
      reprCity: 'required',
      reprOtherOccupation: 'too-long-26',
      reprNicNumber: 'too-long-50',
      reprNicDateOfIssuance: 'too-long-50',
      reprNicDateOfExpiry: 'date-incomplete',
      reprNicPlaceOfIssuance: 'too-long-100',
    },
  },
  {
    tab: 'ParentData',
    rows: 'REP07, REP11, LIM04: a card that expires the day it is issued; the last day of 1899',
    answers: {
      reprSurname: letters(100),
      reprGivenName: letters(100),
      reprDayOfBirth: '31',
      reprMonthOfBirth: '12',
      reprYearOfBirth: '1899',
      reprCity: letters(27),
      reprOtherOccupation: letters(26),
      reprNicNumber: letters(50),
      reprNicDateOfIssuance: '2020-05-10',
      reprNicDateOfExpiry: '2020-05-10',
      reprNicPlaceOfIssuance: letters(100),
    },
    faults: {
      reprDateOfBirth: 'date-too-early',
      reprCity: 'too-long-26',
      reprNicDateOfExpiry: 'expiry-before-issuance',
    },
  },
  {
    tab: 'ParentData',
    rows: 'REP12: a card that expired yesterday; born tomorrow',
    answers: {
      reprDayOfBirth: tomorrowsDay,
      reprMonthOfBirth: tomorrowsMonth,
      reprYearOfBirth: tomorrowsYear,
      reprCity: letters(26),
      reprNicDateOfExpiry: yesterday,
    },
    faults: { reprDateOfBirth: 'date-in-future', reprNicDateOfExpiry: 'expiry-past' },
  },
  {
    tab: 'ParentData',
    rows: 'DOC10 for the representative: issued tomorrow; 30 February; S23: only the year is required',
    answers: {
      reprDateOfBirthUnknown: true,
      reprNicDateOfIssuance: tomorrow,
      reprNicDateOfExpiry: '2032-02-30',
    },
    faults: {
      reprDateOfBirth: 'required',
      reprNicDateOfIssuance: 'date-in-future',
      reprNicDateOfExpiry: 'date-impossible',
    },
  },
  { tab: 'ParentData', rows: '', answers: { addReprData: 'NO' }, faults: {} },
  {
    tab: 'NicData',
    rows: 'DOC07, S26: nothing answered',
    answers: {},
    faults: { selectNic: 'required', eppNumber: 'required', eppDateOfIssuance: 'required' },
  },
  {
    tab: 'NicData',
    rows: 'DOC03, DOC06: the fields that a card requires; 13 characters',
    answers: { selectNic: '2', eppNumber: '0123456789012' },
    faults: {
      nicNumber: 'required',
      nicDateOfIssuance: 'required',
      nicDateOfExpiry: 'required',
      eppNumber: 'too-long-12',
      eppDateOfIssuance: 'required',
    },
  },
  {
    tab: 'NicData',
    rows: 'DOC04, DOC05, DOC10: a card that expired before it was issued; a passport issued tomorrow',
    answers: {
      nicNumber: letters(51),
      nicDateOfIssuance: '2021-05-10',
      nicDateOfExpiry: '2021-05-09',
      nicPlaceOfIssuance: letters(101),
      eppNumber: '012345678901',
      eppDateOfIssuance: tomorrow,
    },
    faults: {
      nicNumber: 'too-long-50',
      nicDateOfIssuance: 'issuance-after-expiry',
      nicDateOfExpiry: 'expiry-past',
      nicPlaceOfIssuance: 'too-long-100',
      eppDateOfIssuance: 'date-in-future',
    },
  },
  {
    tab: 'NicData',
    rows: 'DOC10: issued tomorrow; a date without month and day; a letter O in the year',
    answers: {
      nicNumber: letters(50),
      nicDateOfIssuance: tomorrow,
      nicDateOfExpiry: '2031--',
      nicPlaceOfIssuance: letters(100),
      eppDateOfIssuance: '2O16-02-28',
    },
    faults: {
      nicDateOfIssuance: 'date-in-future',
      nicDateOfExpiry: 'date-incomplete',
      eppDateOfIssuance: 'date-not-numbers',
    },
  },
]

/** For an applicant who signed in by e-mail, whose phone number is not verified. */
const phoneRounds: Round[] = (
  [
    ['S26: no number', {}, 'required'],
    ['PER11: 5 digits', { phoneNumber: '67123' }, 'phone-home'],
    ['LIM02: 13 digits', { phoneNumber: '6712345678901' }, 'phone-home'],
    ['no digits', { phoneNumber: 'sixseptun' }, 'digits-only'],
    ['PER12: 4 digits after 33', { dialCode: '33', phoneNumber: '6123' }, 'phone-international'],
    ['LIM03: 14 digits after 33', { phoneNumber: '61234567890123' }, 'phone-international'],
    ['D109: a premium number', { phoneNumber: '899123456' }, 'phone-premium'],
  ] as const
).map(([rows, answers, code]) => ({ tab: 'PersonData', rows, answers, faults: { phoneNumber: code } }))

/** Each test uses a new applicant, because a second sign-in would find the started application. */
let applicantCount = 0

/** Only the server can find this issue: the portal offers only the ids of its lists. */
const serverFaults: Faults = { localityId: 'not-in-list' }

describe.each(testedLanguages)('the messages of the form, in %s', language => {
  it.runIf(isFullRun)(
    'appear under their fields and in the summary, and no answer is cleared (FRM10–FRM12, §5)',
    async () => {
      const { page, context, applicant } = await fixture.openWelcome(language, { serviceWorkers: 'block' })
      const form = createFormPage(page)
      await applicant.signInByPhone(`6710009${String((applicantCount += 1)).padStart(2, '0')}`)
      await applicant.startApplication()
      for (const round of rounds) await expectRound(round, { applicant, form, language })

      // The test changes a request on its way, to get an issue that only the server can find.
      await form.answer({ selectNic: '1', eppDateOfIssuance: '2016-02-29' })
      await page.route('**/api/v1/applications/*/data', route => {
        const body: Record<string, unknown> =
          route.request().method() === 'POST' ? route.request().postDataJSON() : {}
        return route.continue('localityId' in body ? { postData: { ...body, localityId: '9999999' } } : {})
      })
      await applicant.button('button.submit').click()
      await applicant.heading('tab.PersonData')
      await expectFaults(serverFaults, { form, language })
      await context.close()
    },
  )

  it.runIf(isFullRun)(
    'name the allowed number of digits, which depends on the dial code (PER11, PER12, LIM02, LIM03)',
    async () => {
      const { page, context, applicant } = await fixture.openSignedIn(
        language,
        `messages.${language}@example.cm`,
        { serviceWorkers: 'block' },
      )
      const form = createFormPage(page)
      await applicant.startApplication()
      await form.open('PersonData')
      await applicant.fillPerson({ ...firstPassport, phoneNumber: '' })
      for (const round of phoneRounds) await expectRound(round, { applicant, form, language })
      await context.close()
    },
  )

  it('appear on blur, and disappear when the answer is valid (FRM11)', async () => {
    const { page, context, applicant } = await fixture.openSignedIn(
      language,
      `6710009${languages.indexOf(language)}0`,
      { serviceWorkers: 'block' },
    )
    const form = createFormPage(page)
    await applicant.startApplication()
    expect(await form.messages()).toEqual([])
    await form.control('travelDestination').focus()
    await form.control('reason').focus()
    await expect.poll(() => form.messages()).toEqual([['travelDestination', applicant.t('issue.required')]])
    await form.control('travelDestination').fill('Gabon')
    await expect.poll(() => form.messages()).toEqual([])
    await context.close()
  })
})

describe('the table of messages', () => {
  const testedFaults = [...rounds, ...phoneRounds, { faults: serverFaults }].map(({ faults }) => faults)

  it('contains every message that the form can show', () => {
    // Messages of the sign-in and payment pages, and messages in the catalogue without a field (S68).
    const otherMessages: IssueCode[] = [
      'code-empty',
      'method-needed',
      'too-long-9',
      'too-long-17',
      'too-long-27',
      'too-long-31',
      'exactly-9-digits',
      'exactly-12-digits',
      'exactly-17-digits',
      'exactly-9-characters',
      'exactly-12-characters',
      'exactly-17-characters',
      'at-most-17-digits',
    ]
    const covered = new Set(testedFaults.flatMap(faults => Object.values(faults)))
    expect([...covered, ...otherMessages].sort()).toEqual([...issueCodes].sort())
  })

  it('contains every field that an applicant can answer wrongly', () => {
    const neverWrong: FieldName[] = [
      'languagePref',
      'gender',
      'dateOfBirthUnknown',
      'reprDateOfBirthUnknown',
      'occupation',
      'reprOccupation',
      'dialCode',
    ]
    const questions = fieldNames
      .filter(name => !neverWrong.includes(name))
      .map(name =>
        name.replace(/^(day|month|year)Of/, 'dateOf').replace(/^repr(Day|Month|Year)Of/, 'reprDateOf'),
      )
    expect([...new Set(testedFaults.flatMap(Object.keys))].sort()).toEqual([...new Set(questions)].sort())
  })

  it('has ten messages with exactly the English texts of the specification', () => {
    const english = textsOf('en')
    const literal: Partial<Record<IssueCode, string>> = {
      required: 'Required!',
      'not-valid': 'The field is not valid',
      'too-long-50': 'Please enter no more than 50 characters',
      'too-long-100': 'Please enter no more than 100 characters',
      'phone-home': 'Please enter 6-12 digits subscriber number',
      'phone-international': 'Please enter 7-15 digits international phone number',
      'email-invalid': 'Invalid email',
      'expiry-before-issuance': "Expiry date can't be bigger than Issuance date.",
      'expiry-past': "Expiry date can't be in the past.",
      'issuance-after-expiry': "Issuance date can't be bigger than Expiry date.",
    }
    const codes = issueCodes.filter(code => code in literal)
    expect(Object.fromEntries(codes.map(code => [code, english(issueKey(code))]))).toEqual(literal)
  })
})

type OpenedApplicant = Awaited<ReturnType<typeof fixture.openWelcome>>
type FormContext = { form: ReturnType<typeof createFormPage>; language: Language }

async function expectRound(
  { tab, answers, faults, rows }: Round,
  context: FormContext & Pick<OpenedApplicant, 'applicant'>,
) {
  const { form, applicant } = context
  await applicant.heading(`tab.${tab}`)
  await form.answer(answers)
  await applicant.button(tab === 'NicData' ? 'button.submit' : 'button.continue').click()
  if (Object.keys(faults).length === 0) return
  await expectFaults(faults, context, rows)
  expect(await form.currentAnswers(Object.keys(answers)), rows).toEqual(answers)
}

/** Expects the same messages under the fields and in the summary, in order, and no others. */
async function expectFaults(faults: Faults, { form, language }: FormContext, rows = '') {
  const t = textsOf(language)
  const messages = Object.entries(faults).map(([question, code]) => ({
    question,
    label: t(`field.${question as Question}`), // the keys of the table above
    text: t(issueKey(code)),
  }))
  await expect
    .poll(() => form.messages(), { message: rows, timeout: 60_000 })
    .toEqual(messages.map(({ question, text }) => [question, text]))
  await expect
    .poll(() => form.links(), { message: rows, timeout: 60_000 })
    .toEqual(
      messages.map(({ question, label, text }) => {
        const key = label.endsWith('?') ? 'form.faultOfQuestion' : 'form.fault'
        return [question, t(key, { field: label, fault: text })]
      }),
    )
}
