import { describe, expect, it } from 'vitest'
import { mayOfferInstall } from '#screens/procedure/may-offer-install.ts'

const applications = [{ currentState: 'DATA_SAVED' }]

describe('the offer to install (OFF01)', () => {
  it('is made on one’s own phone once something is achieved', () => {
    expect(mayOfferInstall({ use: { kind: 'own' }, applications })).toBe(true)
    expect(mayOfferInstall({ use: { kind: 'own' }, applications: [{ currentState: 'NEW' }] })).toBe(false)
    expect(mayOfferInstall({ use: { kind: 'own' }, applications: [] })).toBe(false)
  })

  it('is never made on a shared device or a kiosk (D38)', () => {
    expect(mayOfferInstall({ use: { kind: 'shared' }, applications })).toBe(false)
    expect(mayOfferInstall({ use: { kind: 'kiosk', officeId: '3' }, applications })).toBe(false)
  })
})
