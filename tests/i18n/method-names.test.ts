import { describe, expect, it } from 'vitest'
import { walletName } from '#contract/wallet-name.ts'
import { methodTypes } from '#contract/payment.ts'
import { languages } from '#contract/codes.ts'
import { translateTo } from '#server/i18n/translate.ts'
import { operators } from '#screens/payment/operators.ts'
import { textsOf } from '#support/data/texts.ts'

describe('the names of the payment methods', () => {
  it.each(languages.flatMap(language => methodTypes.map(type => [language, type] as const)))(
    'are in %s the same in the portal and in the proof of the payments: %s',
    (language, type) => {
      expect(translateTo(language)(`proof.methods.${type}`)).toBe(textsOf(language)(`method.${type}`))
    },
  )

  it.each([
    ['MTN-Money', 'MTN MoMo'],
    ['MTN MoMo', 'MTN MoMo'],
    ['Orange-Money', 'Orange Money'],
    ['Yoomee-Money', 'Yoomee Money'],
    ['', ''],
  ])('write the wallet %j as %j', (method, name) => {
    expect(walletName(method)).toBe(name)
  })

  it('of the operators of a mobile payment are those that walletName returns', () => {
    expect(operators.map(({ name }) => name)).toEqual(['MTN-Money', 'Orange-Money'].map(walletName))
  })
})
