import { describe, expect, it } from 'vitest'
import { lockedDraftDays } from '#store/locked-drafts.ts'
import { textsOf } from '#support/data/texts.ts'

describe.each([
  ['fr', / verrouillées.*(\d+)\sjours/, /\btout\b/],
  ['en', / locked.*(\d+)\sdays/, /\beverything\b/],
] as const)('the %s texts about a shared device', (language, days, all) => {
  const t = textsOf(language)

  it.each(['signIn.sharedDetail', 'notice.loggedOutLocked', 'privacy.device.text'] as const)(
    'say how long unsent answers stay locked: %s (D31)',
    key => {
      expect(t(key).match(days)?.[1]).toBe(`${lockedDraftDays}`)
    },
  )

  // The locked answers of other applicants stay.
  it.each([
    'signIn.sharedDetail',
    'final.kioskEnds',
    'leaving.loseText',
    'leaving.unreadableText',
    'privacy.device.text',
  ] as const)('do not say that all data of the device is erased: %s (D31, D38)', key => {
    expect(t(key)).not.toMatch(all)
  })
})
