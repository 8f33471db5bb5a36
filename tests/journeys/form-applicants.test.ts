import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { FormValues, Tab } from '#contract/application.ts'
import type { Language } from '#contract/codes.ts'
import {
  additionalPassport,
  additionalWithoutOldNumber,
  birthDateUnknown,
  bornAbroad,
  firstPassport,
  minorWithForeignRepresentative,
  minorWithRepresentative,
  oldCard,
  otherTrade,
  renewal,
  stolenPassport,
} from '#support/data/applicants.ts'
import { createFormPage } from '#support/browsers/form-page.ts'
import { isFullRun, testedLanguages } from '#support/test-tier.ts'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { type Key, textsOf } from '#support/data/texts.ts'

const fixture = joinBrowserFixture()

/** `by`: the contact of the sign-in, which the portal fills in. The applicant types the other contact into the form. */
type Golden = { who: string; language: Language; by: 'phone' | 'email'; form: FormValues }

const applicants: Golden[] = [
  { who: 'a first passport, with a new card', language: 'fr', by: 'phone', form: firstPassport },
  { who: 'a renewal', language: 'en', by: 'phone', form: renewal },
  { who: 'a stolen passport', language: 'fr', by: 'email', form: stolenPassport },
  { who: 'a minor with a representative', language: 'en', by: 'phone', form: minorWithRepresentative },
  {
    who: 'a minor whose representative was born abroad on an unknown day of a known year',
    language: 'fr',
    by: 'email',
    form: minorWithForeignRepresentative,
  },
  { who: 'an applicant born abroad', language: 'en', by: 'email', form: bornAbroad },
  { who: 'an applicant with an unknown birth date', language: 'fr', by: 'phone', form: birthDateUnknown },
  { who: 'another occupation', language: 'en', by: 'phone', form: otherTrade },
  { who: 'an old card', language: 'fr', by: 'phone', form: oldCard },
  { who: 'an additional passport', language: 'en', by: 'phone', form: additionalPassport },
  {
    who: 'an additional passport without the old number',
    language: 'fr',
    by: 'phone',
    form: additionalWithoutOldNumber,
  },
]

describe('the answers of all four tabs', () => {
  it.runIf(isFullRun).each(applicants)(
    'are the only answers on /confirm: $who, in $language (CNF01–CNF06, S57)',
    async each => {
      const { context, page, faults, form, expected } = await goToConfirm(each)
      await page.locator('main section dl').first().waitFor()
      expect(await review(page)).toEqual(await expected(form))
      expect(await page.locator('main :is(input, select, textarea, [contenteditable])').count()).toBe(0)
      expect(faults).toEqual({ requests: [], console: [] })
      await context.close()
    },
  )

  const fullest: Golden = {
    who: 'every section',
    language: 'fr',
    by: 'phone',
    form: {
      ...minorWithRepresentative,
      reason: '11284',
      email: 'biyong@exemple.cm',
      selectNic: '3',
      nicNumber: '109876543',
      nicDateOfIssuance: '2016-07-31',
      nicDateOfExpiry: '2087-07-31',
      eppNumber: 'AA0123456',
      eppDateOfIssuance: '2017-08-01',
    },
  }

  it.runIf(isFullRun).each(testedLanguages)(
    'are in the tabs that /confirm opens; a change shows on /confirm, in %s',
    async language => {
      const { page, context, applicant, form, expected } = await goToConfirm({ ...fullest, language })
      const formPage = createFormPage(page)
      const seeAnswers = async (tab: Tab) => {
        const typed = Object.fromEntries(askedOn[tab].map(name => [name, form[name]]))
        await expect.poll(() => formPage.currentAnswers(askedOn[tab])).toEqual(typed)
      }
      for (const { heading, tab } of sections) {
        await page
          .getByRole('link', {
            name: applicant.t('confirm.change', { section: applicant.t(heading) }),
            exact: true,
          })
          .click()
        await applicant.heading(`tab.${tab}`)
        await seeAnswers(tab)
        await page.goBack()
        await applicant.heading('confirm.heading')
      }

      await applicant.button('button.changeData').click()
      await applicant.heading('tab.GeneralData')
      await seeAnswers('GeneralData')
      await applicant.named('travelDestination').fill('Île Maurice')
      await formPage.open('NicData')
      await applicant.button('button.submit').click()
      await applicant.heading('confirm.heading')
      await page.locator('main section dl').first().waitFor()
      const changed = await expected({ ...form, travelDestination: 'Île Maurice' })
      // The screen shows the answers of its last visit until it has read the new ones.
      await expect.poll(() => review(page)).toEqual(changed)
      await applicant.confirmData()
      await context.close()
    },
  )
})

let openedCount = 0

async function goToConfirm({ language, by, form: golden }: Golden) {
  openedCount += 1
  const phone = `6710002${String(openedCount).padStart(2, '0')}`
  const email = `golden.${openedCount}@exemple.cm`
  const contact = by === 'phone' ? phone : email
  const opened = await fixture.openSignedIn(language, contact, { serviceWorkers: 'block' })
  const form = { ...golden, ...(by === 'phone' ? { dialCode: '237', phoneNumber: phone } : { email }) }
  const authorized = opened.page.waitForRequest(request => 'authorization' in request.headers())
  await opened.applicant.startApplication()
  const authorization = (await authorized).headers()['authorization'] ?? ''
  await opened.applicant.fillForm(form)
  const expected = (typed: FormValues) => expectedReview(typed, language, authorization)
  return { ...opened, form, expected }
}

type Section = [heading: string, rows: [term: string, value: string][]]

/** The texts of the screen, by section. */
function review(page: Page): Promise<Section[]> {
  return page
    .locator('main section:has(dl)')
    .evaluateAll(sections =>
      sections.map(section => [
        section.querySelector('h2')?.textContent ?? '',
        [...section.querySelectorAll('dl > div')].map(row => [
          row.querySelector('dt')?.textContent ?? '',
          row.querySelector('dd')?.textContent ?? '',
        ]),
      ]),
    )
}

const sections = [
  { heading: 'section.personal', tab: 'PersonData' },
  { heading: 'section.residence', tab: 'PersonData' },
  { heading: 'section.nic', tab: 'NicData' },
  { heading: 'section.passport', tab: 'NicData' },
  { heading: 'section.parents', tab: 'ParentData' },
  { heading: 'section.representative', tab: 'ParentData' },
] as const satisfies { heading: Key; tab: Tab }[]

const askedOn = {
  GeneralData: ['reason', 'travelDestination', 'reasonForTravel'],
  PersonData: ['surname', 'givenName', 'gender', 'dayOfBirth', 'monthOfBirth', 'yearOfBirth', 'placeOfBirth']
    .concat(['regionCode', 'departmentCode', 'localityId', 'email', 'occupation', 'resAddressCountry'])
    .concat(['resAddressRegionCode', 'resAddressDepartmentCode', 'resAddressLocalityId', 'resAddressStreet']),
  ParentData: [
    'motherSurname',
    'motherGivenName',
    'fatherSurname',
    'fatherGivenName',
    'addReprData',
    'reprSurname',
  ]
    .concat(['reprGivenName', 'reprGender', 'reprDayOfBirth', 'reprMonthOfBirth', 'reprYearOfBirth'])
    .concat(['reprPlaceOfBirth', 'reprRegionCode', 'reprDepartmentCode', 'reprLocalityId', 'reprOccupation'])
    .concat(['reprCountryOfResidence', 'reprNicNumber', 'reprNicDateOfIssuance', 'reprNicDateOfExpiry']),
  NicData: [
    'selectNic',
    'nicNumber',
    'nicDateOfIssuance',
    'nicDateOfExpiry',
    'nicPlaceOfIssuance',
    'eppNumber',
  ].concat(['eppDateOfIssuance']),
} as Record<Tab, (keyof FormValues)[]> // names of fields of the form

/** The expected texts of the screen, written from the specification and the lists of the server. */
async function expectedReview(
  form: FormValues,
  language: Language,
  authorization: string,
): Promise<Section[]> {
  const t = textsOf(language)
  const parts = rowParts(form, language, authorization)
  const { label, coded, place, asTyped } = parts
  const rows: Row[][] = [
    await personRows(form, parts),
    [
      ...(await place([
        'resAddressCountry',
        'resAddressRegionCode',
        'resAddressDepartmentCode',
        'resAddressLocalityId',
        'resAddressCity',
      ])),
      ...asTyped('resAddressStreet'),
    ],
    form.selectNic === '1' ? [] : nicRows(form, parts),
    [...asTyped('eppNumber'), [label('eppDateOfIssuance'), withDots(form.eppDateOfIssuance)]],
    [
      ...asTyped('motherSurname', 'motherGivenName', 'fatherSurname', 'fatherGivenName'),
      [label('representative'), coded('representative', form.addReprData)],
    ],
    form.addReprData === 'NO' ? [] : await representativeRows(form, parts),
  ]
  return sections
    .map(({ heading }, index): Section => [
      t(heading),
      (rows[index] ?? []).filter(([, value]) => value !== ''),
    ])
    .filter(([, filled]) => filled.length > 0)
}

type Row = [label: string, text: string]
type RowParts = ReturnType<typeof rowParts>

/** The functions that give the rows of a form in a language. */
function rowParts(form: FormValues, language: Language, authorization: string) {
  const t = textsOf(language)
  const named = dictionaries(authorization, language)
  const label = (field: string) => t(`field.${field}` as Key) // a label of the form
  const coded = (group: string, code: string) => (code === '' ? '' : t(`${group}.${code}` as Key)) // a code of the form
  const trade = (id: string, other: string) => (id === '33' ? other : named('professions', id))
  const place = async ([country, region, department, locality, city]: PlaceNames): Promise<Row[]> => {
    const home = form[country] === '10998'
    const below = { region: form[region], department: form[department] }
    return [
      [label(country), await named('countries', form[country])],
      [label(region), home ? await named('regions', form[region]) : ''],
      [label(department), home ? await named('departments', form[department], below) : ''],
      [label(locality), home ? await named('localities', form[locality], below) : ''],
      [label(city), form[city]],
    ]
  }
  const asTyped = (...fields: (keyof FormValues)[]) =>
    fields.map((field): Row => [label(field), String(form[field])])
  return { named, label, coded, trade, place, asTyped }
}

async function personRows(
  form: FormValues,
  { label, coded, trade, place, asTyped }: RowParts,
): Promise<Row[]> {
  return [
    [label('reason'), coded('reason', form.reason)],
    ...asTyped('travelDestination', 'reasonForTravel', 'surname', 'givenName'),
    [label('gender'), coded('gender', form.gender)],
    [label('dateOfBirth'), birthText(form.dayOfBirth, form.monthOfBirth, form.yearOfBirth)],
    ...(await place(['placeOfBirth', 'regionCode', 'departmentCode', 'localityId', 'city'])),
    [label('phoneNumber'), phoneText(form.dialCode, form.phoneNumber)],
    ...asTyped('email'),
    [label('occupation'), await trade(form.occupation, form.otherOccupation)],
  ]
}

function nicRows(form: FormValues, { label, coded, asTyped }: RowParts): Row[] {
  return [
    [label('selectNic'), coded('nic', form.selectNic)],
    ...asTyped('nicNumber'),
    [label('nicDateOfIssuance'), withDots(form.nicDateOfIssuance)],
    [label('nicDateOfExpiry'), withDots(form.nicDateOfExpiry)],
    ...asTyped('nicPlaceOfIssuance'),
  ]
}

async function representativeRows(
  form: FormValues,
  { named, label, coded, trade, place, asTyped }: RowParts,
): Promise<Row[]> {
  return [
    ...asTyped('reprSurname', 'reprGivenName'),
    [label('reprGender'), coded('gender', form.reprGender)],
    [label('reprDateOfBirth'), birthText(form.reprDayOfBirth, form.reprMonthOfBirth, form.reprYearOfBirth)],
    ...(await place([
      'reprPlaceOfBirth',
      'reprRegionCode',
      'reprDepartmentCode',
      'reprLocalityId',
      'reprCity',
    ])),
    [label('reprCountryOfResidence'), await named('countries', form.reprCountryOfResidence)],
    [label('reprOccupation'), await trade(form.reprOccupation, form.reprOtherOccupation)],
    ...asTyped('reprNicNumber'),
    [label('reprNicDateOfIssuance'), withDots(form.reprNicDateOfIssuance)],
    [label('reprNicDateOfExpiry'), withDots(form.reprNicDateOfExpiry)],
    ...asTyped('reprNicPlaceOfIssuance'),
  ]
}

type TextName = Exclude<keyof FormValues, 'dateOfBirthUnknown' | 'reprDateOfBirthUnknown'>
type PlaceNames = [
  country: TextName,
  region: TextName,
  department: TextName,
  locality: TextName,
  city: TextName,
]

function withDots(date: string): string {
  const [year, month, day] = date.split('-')
  return date && `${day}.${month}.${year}`
}

/** A date of birth, or only the year. */
function birthText(day: string, month: string, year: string): string {
  return day === '' ? year : `${day}.${month}.${year}`
}

function phoneText(dialCode: string, digits: string): string {
  if (dialCode !== '237') return `+${dialCode}${digits}`
  return `+237 ${digits.replace(/^(\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1 $2 $3 $4 $5')}`
}

type List = 'countries' | 'professions' | 'regions' | 'departments' | 'localities'

/** Reads names from the lists of the server, with the access token of the page. */
function dictionaries(authorization: string, language: Language) {
  return async (list: List, id: string, below = {}) => {
    if (id === '') return ''
    const query = new URLSearchParams({ lg: language, ...below }).toString()
    const folder = list === 'countries' ? 'applications' : 'dictionary'
    const answer = await fetch(`${fixture.portal().origin}/api/v1/${folder}/${list}?${query}`, {
      headers: { authorization },
    })
    const { data } = (await answer.json()) as { data: { data: Record<string, string | number>[] } } // the list as in §7 of the specification
    const found = data.data.find(each => String(each['id'] ?? each['code']) === id)
    return String(found?.['name'] ?? found?.[language === 'fr' ? 'descrFr' : 'descrEn'])
  }
}
