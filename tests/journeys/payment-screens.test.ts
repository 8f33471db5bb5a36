import { describe, expect, it } from 'vitest'
import { languages } from '#contract/codes.ts'
import { answerAsServer } from '#support/browsers/answer-as-server.ts'
import { isFullRun, testedLanguages } from '#support/test-tier.ts'
import { gateway } from '#support/data/hostile-card-pages.ts'
import { startBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { faultsOf, openPayer } from './payment-screens-fixture.ts'
import {
  enterOperatorCode,
  fillAggregatorForm,
  payWithoutMethod,
  showDoublePayment,
  showMobileMoneyIssues,
  showPaymentResults,
} from './payment-steps.ts'
import {
  openCardPage,
  payByCard,
  refuseCode,
  showMethods,
  showProcedureCards,
  showRefusals,
  showResults,
} from './rare-payment-steps.ts'

const fixture = startBrowserFixture({
  CAPTCHA: 'off',
  CARD_ORIGINS: gateway,
  PAYMENT_SIMULATORS: 'on',
  // PAYMENT_METHODS decides only about MOCK and WHITELIST: this value enables neither. The simulators enable all other
  // methods.
  PAYMENT_METHODS: 'MOBILE,CARD_UBA',
})

describe.each(testedLanguages)('the payment screens in %s', language => {
  it('take the first press of Pay, also when the field that loses the focus has an issue (PAY13, PAY16)', async () => {
    const payer = await openPayer(fixture, language, `67100${70 + languages.indexOf(language)}77`)
    const { context, tile, named, pressPay, heading, page, path, waitForText, t } = payer
    await page.goto(path)
    await heading('payment.heading')
    await tile('AGGREGATOR').check()
    await named('paymentMethod').selectOption('Orange-Money')
    await named('otp').fill('123456789')
    await pressPay()
    await waitForText(t('issue.too-long-8'))
    await waitForText(t('issue.required'))
    await expect.poll(() => named('name').evaluate(field => field === document.activeElement)).toBe(true)
    await context.close()
  })

  it.runIf(isFullRun)(
    'show the usual messages, without an axe issue (PAY01–PAY31, ERR14–ERR18)',
    async () => {
      const payer = await openPayer(fixture, language, `67100${40 + languages.indexOf(language)}77`)
      const { context, found } = payer
      await context.grantPermissions(['clipboard-read', 'clipboard-write'], {
        origin: fixture.portal().origin,
      })
      await payWithoutMethod(payer)
      await showMobileMoneyIssues(payer)
      await fillAggregatorForm(payer)
      await enterOperatorCode(payer)
      await showPaymentResults(payer)
      await showDoublePayment(payer)
      expect(faultsOf(found)).toEqual([])
      await context.close()
    },
  )
})

describe.each(isFullRun ? languages : [])('the rare states of the payment screens, in %s', language => {
  it('have no axe issue before the result (PAY01–PAY16, PAY20, ERR14–ERR18)', async () => {
    const payer = await openPayer(fixture, language, `67100${50 + languages.indexOf(language)}77`)
    const { context, found } = payer
    await context.route('**/api/v1/version', async route => {
      const { data } = await (await route.fetch()).json()
      await answerAsServer(route, { json: { data: { ...data, cardGateways: [gateway] } } })
    })
    await showMethods(payer)
    await showRefusals(payer)
    await refuseCode(payer)
    await openCardPage(payer)
    expect(faultsOf(found)).toEqual([])
    await context.close()
  })

  it('have no axe issue on the result and on the pages of the server (PAY25–PAY30, S40, F1)', async () => {
    const payer = await openPayer(fixture, language, `67100${60 + languages.indexOf(language)}77`)
    const { context, found } = payer
    await showResults(payer)
    await showProcedureCards(payer)
    await payByCard(payer)
    expect(faultsOf(found)).toEqual([])
    await context.close()
  })
})
