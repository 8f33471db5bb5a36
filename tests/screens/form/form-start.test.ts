import { describe, expect, it } from 'vitest'
import { ApplicationData, emptyForm, toWire } from '#contract/application.ts'
import { verifiedFields, startForm } from '#screens/form/form-start.ts'
import { firstPassport, renewalAbroad } from '#support/data/applicants.ts'

const nobody = { msisdn: '', email: '' }
const stored = ApplicationData.parse({ ...toWire(renewalAbroad), version: 3 })

describe('a form that is opened', () => {
  it('D30 is as it was left on this device', () => {
    expect(startForm({ draft: firstPassport, stored, verifiedContact: nobody })).toEqual(firstPassport)
  })

  it('S55 is as the server has it where nothing was left', () => {
    expect(startForm({ draft: undefined, stored, verifiedContact: nobody })).toEqual(renewalAbroad)
  })

  it('GEN01 PER04 PER08 PER13 starts with the defaults where the server has nothing but blanks', () => {
    const blank = ApplicationData.parse({})
    expect(startForm({ draft: undefined, stored: blank, verifiedContact: nobody })).toEqual(emptyForm())
    expect(startForm({ draft: undefined, stored: undefined, verifiedContact: nobody })).toEqual(emptyForm())
  })

  it('PER14 S04 has the contact that sign-in proved, whatever an older draft says', () => {
    const verifiedContact = { msisdn: '33612345678', email: 'new@mail.cm' }
    const { dialCode, phoneNumber, email } = startForm({
      draft: firstPassport,
      stored: undefined,
      verifiedContact,
    })
    expect({ dialCode, phoneNumber, email }).toEqual({
      dialCode: '33',
      phoneNumber: '612345678',
      email: 'new@mail.cm',
    })
    expect(verifiedFields(verifiedContact)).toEqual({ phoneNumber: true, email: true })
    expect(verifiedFields(nobody)).toEqual({ phoneNumber: false, email: false })
  })
})
