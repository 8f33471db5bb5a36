import { describe, expect, it } from 'vitest'
import { ApplicationData, emptyForm, toWire } from '#contract/application.ts'
import { lockedFields, startForm } from '#screens/form/form-start.ts'
import { firstPassport, renewalAbroad } from '#support/applicants.ts'

const nobody = { msisdn: '', email: '' }
const stored = ApplicationData.parse({ ...toWire(renewalAbroad), version: 3 })

describe('a form that is opened', () => {
  it('D30 is as it was left on this device', () => {
    expect(startForm({ draft: firstPassport, stored, proven: nobody })).toEqual(firstPassport)
  })

  it('S55 is as the server has it where nothing was left', () => {
    expect(startForm({ draft: undefined, stored, proven: nobody })).toEqual(renewalAbroad)
  })

  it('GEN01 PER04 PER08 PER13 starts with the defaults where the server has nothing but blanks', () => {
    const blank = ApplicationData.parse({})
    expect(startForm({ draft: undefined, stored: blank, proven: nobody })).toEqual(emptyForm())
    expect(startForm({ draft: undefined, stored: undefined, proven: nobody })).toEqual(emptyForm())
  })

  it('PER14 S04 has the contact that sign-in proved, whatever an older draft says', () => {
    const proven = { msisdn: '33612345678', email: 'new@mail.cm' }
    const { dialCode, phoneNumber, email } = startForm({ draft: firstPassport, stored: undefined, proven })
    expect({ dialCode, phoneNumber, email }).toEqual({
      dialCode: '33',
      phoneNumber: '612345678',
      email: 'new@mail.cm',
    })
    expect(lockedFields(proven)).toEqual({ phoneNumber: true, email: true })
    expect(lockedFields(nobody)).toEqual({ phoneNumber: false, email: false })
  })
})
