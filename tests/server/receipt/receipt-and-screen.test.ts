import { describe, expect, it } from 'vitest'
import en from '#i18n/en.json'
import fr from '#i18n/fr.json'
import { ApplicationData, type FormValues, toWire } from '#contract/application.ts'
import { type Language, languages } from '#contract/codes.ts'
import { toAppointmentId } from '#contract/id-text.ts'
import { papers } from '#contract/papers.ts'
import { birthPlace, residence } from '#contract/person.ts'
import { representativeBirthPlace } from '#contract/parent.ts'
import { type FormPlace, homePlace } from '#server/features/applications/form-place.ts'
import { countryName, placeNames } from '#server/features/dictionary/dictionary-handlers.ts'
import { receiptContent } from '#server/features/receipt/receipt-content.ts'
import { countries } from '#server/seed/countries.ts'
import { occupations } from '#server/seed/occupations.ts'
import { translateTo } from '#server/i18n/translate.ts'
import { firstPassport, minorWithRepresentative, renewalBornAbroad } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { appointmentRows } from '#summary/appointment-rows.ts'
import { summaryNames } from '#summary/summary-names.ts'
import { summarySections } from '#summary/summary-sections.ts'

const catalogues: Record<Language, Record<string, string>> = { fr, en }

const appointment = {
  office: 'Ambassade du Cameroun – Vatican',
  countryId: '11202',
  country: 'Cité du Vatican',
  city: 'Vatican',
  address: '',
}

function onPaper(form: FormValues, { language, startsAt }: { language: Language; startsAt: string | null }) {
  const facts = {
    language,
    applicationNumber: 'PP-2026-000042-9',
    form,
    appointment: { ...appointment, startsAt },
    payment: undefined,
    help: { phone: '1500', email: 'contact@passcam.cm' },
    issuedAt: new Date('2026-11-21T10:00:00Z'),
    today: '2026-11-21',
  }
  return receiptContent(facts, () => 'code').sections.map(({ rows }) =>
    rows.map(({ label, value }) => [label, value]),
  )
}

function onScreen(form: FormValues, { language, startsAt }: { language: Language; startsAt: string | null }) {
  const t = textsOf(language)
  const names = summaryNames(t, {
    language,
    countries: countries.map(({ id }) => ({ id: String(id), name: countryName(id, language) ?? '' })),
    occupations: [...occupations],
  })
  const homeNames = (place: FormPlace) => placeNames(homePlace(form, place), language)
  const data = ApplicationData.parse({
    ...toWire(form),
    addressCameroonForWeb: homeNames(birthPlace),
    resAddressCameroonForWeb: homeNames(residence),
    reprAddressCameroonForWeb: homeNames(representativeBirthPlace),
  })
  const answers = summarySections(data, names).map(({ rows }) =>
    rows.map(({ label, value }) => [catalogues[language][`field.${label}`], value]),
  )
  const { office, country, city, address } = appointment
  const booked = { nameOffice: office, addressOffice: address, country, city, appointmentDate: startsAt }
  const place = appointmentRows(t, { ...booked, id: toAppointmentId('visit-1'), changeAllowed: false })
  return [...answers, place.map(({ term, value }) => [term, value])]
}

const people: [string, FormValues][] = [
  ['a first passport', firstPassport],
  ['a renewal of a griot born abroad', renewalBornAbroad],
  ['a child with a representative', minorWithRepresentative],
  [
    'one whose representative has an occupation outside the list',
    {
      ...minorWithRepresentative,
      reprOccupation: '33',
      reprOtherOccupation: 'Chasseur',
      phoneNumber: '612345678',
      dialCode: '33',
    },
  ],
  [
    'one who gives only the kind of card',
    { ...firstPassport, nicNumber: '', nicPlaceOfIssuance: '', nicDateOfIssuance: '', nicDateOfExpiry: '' },
  ],
]

describe('the fields of a receipt', () => {
  it.each(languages.flatMap(language => people.map(([who, form]) => ({ language, who, form }))))(
    'equal those of the screens in $language for $who (FIN04, FIN06, S57)',
    ({ language, form }) => {
      for (const startsAt of ['2026-12-01T09:30:00', null])
        expect(onPaper(form, { language, startsAt })).toEqual(onScreen(form, { language, startsAt }))
    },
  )
})

describe('the papers to bring (F13)', () => {
  it.each(languages)('have the same names on the receipt and on the screens, in %s', language => {
    for (const paper of papers)
      expect(translateTo(language)(`receipt.papers.${paper}`)).toBe(catalogues[language][`paper.${paper}`])
  })

  it.each([
    ['fr', 'Seulement si '],
    ['en', 'Only if '],
  ] as const)(
    'begin with “Only if” when only the emancipated or the married must bring them, in %s',
    (language, start) => {
      const some = papers.filter(paper => translateTo(language)(`receipt.papers.${paper}`).startsWith(start))
      expect(some).toEqual(['emancipationProof', 'marriageCertificate'])
    },
  )
})
