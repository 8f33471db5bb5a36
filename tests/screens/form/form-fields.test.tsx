// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { makeToken } from '#support/data/access-token.ts'
import { firstPassport, minorWithRepresentative, renewalBornAbroad } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type PortalOptions, type Portal } from '#support/fixtures/open-portal.tsx'
import { settle } from '#support/settle.ts'

const t = textsOf('fr')
let portal: Portal

afterEach(() => portal.close())

async function open(tab: string, opening: Partial<PortalOptions> = {}) {
  portal = await openPortal({ path: `/form/app-1/PP-1/${tab}`, ...opening })
  await portal.see(() => expect(portal.main().querySelector('form [name]')).not.toBeNull())
}

/** The session gets a token with other contacts. */
async function beginAgain(claims: { msisdn: string; email: string }) {
  const { applicant, services } = portal
  const token = makeToken({ applicantId: applicant, ...claims })
  await services.session.begin({ token, draftKey: `secret of ${applicant}` })
}

function isShown(name: string): boolean {
  return portal.main().querySelector(`[name="${name}"]`) !== null
}

function hintOf(name: string) {
  return document.getElementById(`${name}-hint`)?.textContent
}

describe('the General tab', () => {
  it('offers ten reasons, with the first passport selected (GEN01 GEN02 DIC01)', async () => {
    await open('GeneralData')
    expect(portal.named('reason').value).toBe('11211')
    expect(portal.options('reason').slice(1)).toHaveLength(10)
  })

  it('clears the previous passport when the new reason hides it (S58)', async () => {
    await open('GeneralData', { data: renewalBornAbroad })
    portal.answer('reason', '11211')
    await portal.see(async () => {
      const draft = await portal.store.drafts.read('app-1')
      expect([draft?.values.eppNumber, draft?.values.eppDateOfIssuance]).toEqual(['', ''])
    })
  })
})

describe('a name field', () => {
  it('says that a passport has Latin letters when the name has others, and accepts the name', async () => {
    await open('ParentData', { data: firstPassport })
    expect(hintOf('motherSurname')).toBeUndefined()
    portal.answer('motherSurname', 'محمد')
    await portal.see(() => expect(hintOf('motherSurname')).toBe(t('hint.latinLetters')))
    expect(portal.named('motherSurname').getAttribute('aria-describedby')).toBe('motherSurname-hint')
    expect(portal.fault('motherSurname')).toBeUndefined()
    portal.answer('motherSurname', 'Ŋgɔ̂ N’Djamena Œdipe-Ʉ')
    await portal.see(() => expect(hintOf('motherSurname')).toBeUndefined())
  })

  it('takes the text direction from its letters, and an e-mail field is always left to right', async () => {
    await open('PersonData', { claims: { msisdn: '237671234567', email: '' } })
    expect(portal.named('surname').getAttribute('dir')).toBe('auto')
    expect(portal.named('email').getAttribute('dir')).toBe('ltr')
  })
})

describe('PlaceFields', () => {
  it('asks for the region first, then for the department (FRM08 FRM09)', async () => {
    await open('PersonData')
    expect(portal.options('departmentCode')).toEqual([t('select.firstSelectRegion')])
    expect(portal.options('localityId')).toEqual([t('select.firstSelectDepartment')])
  })

  it('requests the departments of the region, then the localities of both (FRM15 FRM17)', async () => {
    await open('PersonData')
    await portal.see(() =>
      expect(portal.options('regionCode')).toEqual([t('select.choose'), 'Centre', 'Ouest']),
    )
    portal.answer('regionCode', 'CENTRE')
    await portal.see(() => expect(portal.options('departmentCode')).toContain('Département de CENTRE'))
    portal.answer('departmentCode', 'CENTRE-1')
    await portal.see(() => expect(portal.options('localityId')).toContain('Yaoundé 1er (Nlongkak)'))
    const urls = portal.requests.map(({ url }) => url)
    expect(urls).toContain('/api/v1/dictionary/departments?lg=fr&region=CENTRE')
    expect(urls).toContain('/api/v1/dictionary/localities?lg=fr&region=CENTRE&department=CENTRE-1')
  })

  it('clears the dependent answers when an answer changes, without an issue (S72)', async () => {
    await open('PersonData', {
      data: { ...firstPassport, departmentCode: 'CENTRE-1', localityId: '7', resAddressRegionCode: 'WEST' },
    })
    portal.leave('departmentCode')
    portal.answer('regionCode', 'WEST')
    await portal.see(() => expect(portal.named('departmentCode').value).toBe(''))
    expect(portal.named('localityId').value).toBe('')
    expect(portal.fault('departmentCode')).toBeUndefined()
    expect(portal.named('resAddressRegionCode').value).toBe('WEST')
  })

  it('shows a city instead of the divisions when the country is abroad (FRM16 S72)', async () => {
    await open('PersonData', { data: firstPassport })
    await portal.see(() => expect(portal.options('placeOfBirth')).toContain('France'))
    portal.answer('placeOfBirth', '11037')
    await portal.see(() => expect(isShown('city')).toBe(true))
    expect(isShown('regionCode')).toBe(false)
    portal.answer('city', 'Lyon')
    portal.answer('placeOfBirth', '10998')
    await portal.see(() => expect(isShown('regionCode')).toBe(true))
    await portal.see(async () => {
      const draft = await portal.store.drafts.read('app-1')
      expect([draft?.values.regionCode, draft?.values.city]).toEqual(['', ''])
    })
  })

  it('lists Cameroon first, then the other countries by name', async () => {
    await open('PersonData')
    await portal.see(() =>
      expect(portal.options('placeOfBirth')).toEqual([t('select.choose'), 'Cameroun', 'Belgique', 'France']),
    )
    expect(portal.named('placeOfBirth').value).toBe('10998')
  })

  it('shows that a list cannot be loaded, and retries on request (FRM07)', async () => {
    let broken = true
    await open('PersonData', {
      answer: ({ url }) =>
        broken && url.includes('/dictionary/regions')
          ? { status: 500, json: { statusCode: 500 } }
          : undefined,
    })
    await portal.see(() => expect(portal.options('regionCode')).toEqual([t('select.fetchOptionsError')]))
    broken = false
    portal.button(t('button.retry')).click()
    await portal.see(() => expect(portal.options('regionCode')).toContain('Centre'))
  })
})

describe('BirthDateInput', () => {
  it('clears the date and asks only for the year when the date is unknown (PER07)', async () => {
    await open('PersonData', { data: firstPassport })
    portal.named('dateOfBirthUnknown').click()
    await portal.see(() => expect(isShown('dayOfBirth')).toBe(false))
    expect(isShown('monthOfBirth')).toBe(false)
    expect(portal.named('yearOfBirth').value).toBe('')
    portal.named('dateOfBirthUnknown').click()
    await portal.see(() => expect(isShown('dayOfBirth')).toBe(true))
  })

  it('shows an issue on leaving the date, but not between its three fields', async () => {
    await open('PersonData')
    portal.named('dayOfBirth').focus()
    portal.named('yearOfBirth').focus()
    await settle()
    expect(portal.fault('dateOfBirth')).toBeUndefined()
    portal.named('yearOfBirth').blur()
    await portal.see(() => expect(portal.fault('dateOfBirth')).toBe(t('issue.required')))
  })
})

describe('the contact fields', () => {
  it('shows the verified contact read-only (PER14 S04)', async () => {
    await open('PersonData', { claims: { msisdn: '33612345678', email: 'a@b.cm' } })
    expect([portal.named('dialCode').value, portal.named('phoneNumber').value]).toEqual([
      '33',
      '6 12 34 56 78',
    ])
    expect(portal.named('email').value).toBe('a@b.cm')
    expect(portal.named('phoneNumber').matches('[readonly]')).toBe(true)
    expect(portal.named('email').matches('[readonly]')).toBe(true)
  })

  it('lets an address of the sign-in pass that is longer than the form accepts (PER14, PER15, S04)', async () => {
    const email = `${'a'.repeat(50)}@b.cm`
    await open('PersonData', { data: firstPassport, claims: { msisdn: '237671234567', email } })
    portal.button(t('button.continue')).click()
    await portal.see(() => expect(location.pathname).toContain('/ParentData'))
  })

  it('shows the number that the applicant proves while the form is open, and stops asking for it (PER14)', async () => {
    const data = { ...firstPassport, phoneNumber: '' }
    await open('PersonData', { data, claims: { msisdn: '', email: 'a@b.cm' } })
    portal.button(t('button.continue')).click()
    await portal.see(() => expect(portal.fault('phoneNumber')).toBe(t('issue.required')))
    await beginAgain({ msisdn: '33612345678', email: 'a@b.cm' })
    await portal.see(() => expect(portal.named('phoneNumber').matches('[readonly]')).toBe(true))
    await portal.see(() => expect(portal.named('phoneNumber').value).toBe('6 12 34 56 78'))
    await portal.seeAsTimePasses(() => expect(portal.fault('phoneNumber')).toBeUndefined())
    portal.button(t('button.continue')).click()
    await portal.see(() => expect(location.pathname).toContain('/ParentData'))
  })

  it('checks the phone number after the applicant has removed it from the account while the form is open (PER11)', async () => {
    await open('PersonData', { data: firstPassport, claims: { msisdn: '237671234567', email: 'a@b.cm' } })
    await beginAgain({ msisdn: '', email: 'a@b.cm' })
    await portal.see(() => expect(portal.named('phoneNumber').matches('[readonly]')).toBe(false))
    portal.answer('phoneNumber', '12')
    portal.button(t('button.continue')).click()
    await portal.see(() => expect(portal.fault('phoneNumber')).toBe(t('issue.phone-home')))
  })

  it('asks for an unverified number, with the code of Cameroon selected (PER13)', async () => {
    await open('PersonData', { claims: { msisdn: '', email: 'a@b.cm' } })
    expect(portal.named('dialCode').value).toBe('237')
    portal.answer('phoneNumber', '12345')
    await portal.see(() => expect(portal.fault('phoneNumber')).toBe(t('issue.phone-home')))
    portal.answer('phoneNumber', '+237 6 71 23 45 67')
    await portal.see(() => expect(portal.named('phoneNumber').value).toBe('6 71 23 45 67'))
    expect(portal.fault('phoneNumber')).toBeUndefined()
  })

  it('groups the number on blur, saves its digits, and leaves it unchanged during typing', async () => {
    await open('PersonData', { claims: { msisdn: '', email: 'a@b.cm' } })
    for (const typed of ['6', '67123', '671234567', '6 7', '6 71 23 45 68']) {
      portal.type('phoneNumber', typed)
      await portal.see(() => expect(portal.named('phoneNumber').value).toBe(typed))
    }
    portal.leave('phoneNumber')
    await portal.see(() => expect(portal.named('phoneNumber').value).toBe('6 71 23 45 68'))
    await portal.see(async () => {
      expect((await portal.store.drafts.read('app-1'))?.values.phoneNumber).toBe('671234568')
    })
    portal.type('phoneNumber', '6 71 23 45 6')
    await portal.see(() => expect(portal.named('phoneNumber').value).toBe('6 71 23 45 6'))
  })

  it('groups the same digits in another way when the dial code changes', async () => {
    await open('PersonData', { claims: { msisdn: '', email: 'a@b.cm' } })
    portal.answer('phoneNumber', '671234567')
    await portal.see(() => expect(portal.named('phoneNumber').value).toBe('6 71 23 45 67'))
    portal.answer('dialCode', '234')
    await portal.see(() => expect(portal.named('phoneNumber').value).toBe('671 234 567'))
  })
})

describe('OccupationFields', () => {
  it('starts blank, and shows a text field for another occupation (DIC04 DIC05 PER17)', async () => {
    await open('PersonData')
    await portal.see(() =>
      expect(portal.options('occupation')).toEqual([t('select.choose'), 'Commerçant(e)', 'Autre']),
    )
    expect(portal.named('occupation').value).toBe('00')
    expect(isShown('otherOccupation')).toBe(false)
    portal.answer('occupation', '33')
    await portal.see(() => expect(isShown('otherOccupation')).toBe(true))
  })
})

describe('the representative fields', () => {
  it('are shown only while the applicant wants a representative (REP01 REP02)', async () => {
    await open('ParentData', { data: minorWithRepresentative })
    expect(portal.named('reprSurname').value).toBe('Biyong')
    portal.choose('addReprData', 'NO')
    await portal.see(() => expect(isShown('reprSurname')).toBe(false))
    portal.choose('addReprData', 'YES')
    await portal.see(() => expect(portal.named('reprSurname').value).toBe(''))
    expect(portal.fault('reprSurname')).toBeUndefined()
  })

  it('have the dates and the place of the card only with its number (REP13 S71)', async () => {
    const names = ['reprNicDateOfIssuance-year', 'reprNicDateOfExpiry-year', 'reprNicPlaceOfIssuance']
    await open('ParentData', { data: minorWithRepresentative })
    expect(names.map(isShown)).toEqual([true, true, true])
    portal.answer('reprNicNumber', '')
    await portal.see(() => expect(names.map(isShown)).toEqual([false, false, false]))
    portal.answer('reprNicNumber', '1')
    await portal.see(() => expect(names.map(isShown)).toEqual([true, true, true]))
    expect(names.map(name => portal.named(name).value)).toEqual(['', '', ''])
  })

  it('show the text of the specification, and a hint with the correct rule (REP11 S02 S03)', async () => {
    await open('ParentData', { data: minorWithRepresentative, language: 'en' })
    const same = ['10', '05', '2020'] as const
    for (const name of ['reprNicDateOfIssuance', 'reprNicDateOfExpiry']) {
      portal.answer(`${name}-day`, same[0])
      portal.answer(`${name}-month`, same[1])
      portal.answer(`${name}-year`, same[2])
    }
    await portal.see(() =>
      expect(portal.fault('reprNicDateOfExpiry')).toBe("Expiry date can't be bigger than Issuance date."),
    )
    const hint = document.getElementById('reprNicDateOfExpiry-hint')?.textContent
    expect(hint).toBe('The expiry date must be after the issuance date.')
  })
})

describe('the Documents tab', () => {
  it('saves the date that it shows when a whole date is pasted into the field of the year (FRM18)', async () => {
    await open('NicData', { data: { ...firstPassport, nicDateOfIssuance: '' } })
    portal.answer('nicDateOfIssuance-year', '2020-05-06')
    portal.leave('nicDateOfIssuance-year')
    await portal.see(() => expect(portal.named('nicDateOfIssuance-day').value).toBe('06'))
    await portal.see(async () =>
      expect((await portal.store.drafts.read('app-1'))?.values.nicDateOfIssuance).toBe('2020-05-06'),
    )
    expect(portal.fault('nicDateOfIssuance')).toBeUndefined()
  })

  it('asks for the number, the dates and the place only with a card (DOC01 DOC02 S71)', async () => {
    await open('NicData', { data: firstPassport })
    const names = ['nicNumber', 'nicDateOfIssuance-year', 'nicDateOfExpiry-year', 'nicPlaceOfIssuance']
    await portal.see(() => expect(names.map(isShown)).toEqual([true, true, true, true]))
    portal.choose('selectNic', '1')
    await portal.see(() => expect(names.map(isShown)).toEqual([false, false, false, false]))
    portal.leave('selectNic')
    await portal.see(async () => {
      const values = (await portal.store.drafts.read('app-1'))?.values
      expect([values?.nicNumber, values?.nicDateOfIssuance, values?.nicDateOfExpiry]).toEqual(['', '', ''])
    })
    portal.choose('selectNic', '3')
    await portal.see(() => expect(names.map(isShown)).toEqual([true, true, true, true]))
    expect(names.map(name => portal.named(name).value)).toEqual(['', '', '', ''])
  })

  it('asks nothing about a card before the first answer, and has nothing disabled', async () => {
    await open('NicData')
    expect(isShown('nicNumber')).toBe(false)
    expect(portal.main().querySelectorAll('form :disabled')).toHaveLength(0)
  })

  it.each([
    ['hides (DOC09 S58)', '11211', false, false],
    ['requires (DOC07)', '11280', true, false],
    ['marks as optional (DOC08)', '11286', true, true],
  ])('%s the previous passport when the reason is %s', async (_, reason, shown, optional) => {
    await open('NicData', { data: { ...firstPassport, reason } })
    expect(isShown('eppNumber')).toBe(shown)
    const label = portal.main().querySelector('label[for="eppNumber"]')?.textContent ?? ''
    expect(label.includes(t('field.optional'))).toBe(optional)
  })

  it.each([
    ['is printed in the passport', '11212', 'hint.eppNumber'],
    ['may be on a copy when the passport is lost', '11214', 'hint.eppNumberGone'],
    ['may be on a copy when the passport was stolen', '11280', 'hint.eppNumberGone'],
  ] as const)('says that the number %s (DOC07)', async (_, reason, hint) => {
    await open('NicData', { data: { ...firstPassport, reason } })
    expect(hintOf('eppNumber')).toBe(t(hint))
  })
})
