import { describe, expect, it } from 'vitest'
import { mayOfferInstall } from '#screens/procedure/may-offer-install.ts'

const applications = [{ currentState: 'DATA_SAVED' }]

describe('mayOfferInstall (OFF01)', () => {
  it('allows the offer on an own device after a confirmed application', () => {
    expect(mayOfferInstall({ use: { kind: 'own' }, applications })).toBe(true)
    expect(mayOfferInstall({ use: { kind: 'own' }, applications: [{ currentState: 'NEW' }] })).toBe(false)
    expect(mayOfferInstall({ use: { kind: 'own' }, applications: [] })).toBe(false)
  })

  it('refuses the offer on a shared device and a kiosk (D38)', () => {
    expect(mayOfferInstall({ use: { kind: 'shared' }, applications })).toBe(false)
    expect(mayOfferInstall({ use: { kind: 'kiosk', officeId: '3' }, applications })).toBe(false)
  })
})
