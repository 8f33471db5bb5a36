import { describe, expect, it } from 'vitest'
import { ApplicationData, emptyForm, toWire } from '#contract/application.ts'
import { initialDraft, startForm } from '#screens/form/form-start.ts'
import { verifiedFields } from '#screens/form/verified-contact.ts'
import { mergeServerData } from '#sync/merge-draft.ts'
import { firstPassport, renewalBornAbroad } from '#support/data/applicants.ts'

const noContact = { msisdn: '', email: '' }
const stored = ApplicationData.parse({ ...toWire(renewalBornAbroad), version: 3 })

it('begins the first draft with the whole form of the server, so that a merge recognises a restored server (D62)', () => {
  const data = { ...stored, epoch: 'one' }
  const values = startForm({ draft: undefined, stored: data, verifiedContact: noContact })
  const draft = initialDraft(data, values)
  const restored = { ...data, epoch: 'two', version: 1_000_003, surname: '' }
  const at = 5
  expect(mergeServerData(draft, restored, at).draft.values.surname).toBe(renewalBornAbroad.surname)
})

describe('startForm', () => {
  it('returns the draft of this device when there is one (D30)', () => {
    expect(startForm({ draft: firstPassport, stored, verifiedContact: noContact })).toEqual(firstPassport)
  })

  it('returns the values of the server when the device has no draft (S55)', () => {
    expect(startForm({ draft: undefined, stored, verifiedContact: noContact })).toEqual(renewalBornAbroad)
  })

  it('returns the defaults when the server has only blanks (GEN01 PER04 PER08 PER13)', () => {
    const blank = ApplicationData.parse({})
    expect(startForm({ draft: undefined, stored: blank, verifiedContact: noContact })).toEqual(emptyForm())
    expect(startForm({ draft: undefined, stored: undefined, verifiedContact: noContact })).toEqual(
      emptyForm(),
    )
  })

  it('replaces the contact of a draft by the verified contact (PER14 S04)', () => {
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
    expect(verifiedFields(noContact)).toEqual({ phoneNumber: false, email: false })
  })
})
