import { cardGateways } from '#server/config/payment-config.ts'
import { accountFeature, deleteAccountFeature } from '#contract/account.ts'
import { answerMarkFeature, answerNonceFeature } from '#contract/codes.ts'
import { cancelPaymentFeature, caseFileFeature, paymentWaitFeature } from '#contract/payment.ts'
import { receiptTicketFeature } from '#contract/receipt-keys.ts'
import { deleteApplicationFeature } from '#contract/states.ts'
import { dormantFeature } from '#contract/dormant.ts'
import { endKioskFeature } from '#contract/endpoints.ts'
import { saveDigestFeature } from '#contract/save-digest.ts'
import { release } from '#server/config/asset-path.ts'
import type { Services } from '#server/calls/services.ts'

/**
 * The answer of the call `version`: what this server can do besides the specification, its settings for clients, who runs it,
 * and the public keys that verify its receipts. `epoch` changes when the database was restored from a backup (D62).
 */
export function describeServer({ config, clock, secrets, epoch }: Services) {
  return {
    version: release,
    otpTtl: config.otpTtlSeconds,
    features: [
      'drafts',
      'idempotency',
      'draftKey',
      'contacts',
      accountFeature,
      deleteAccountFeature,
      'officeName',
      'homePlaces',
      caseFileFeature,
      cancelPaymentFeature,
      deleteApplicationFeature,
      paymentWaitFeature,
      'watch',
      'otherChannel',
      answerMarkFeature,
      answerNonceFeature,
      receiptTicketFeature,
      saveDigestFeature,
      dormantFeature,
      ...(config.kioskCode === undefined ? [] : [endKioskFeature]),
    ],
    epoch,
    cardGateways: cardGateways(config.payments),
    time: clock.now().toISOString(),
    receiptKey: secrets.rawReceiptPublicKey,
    receiptKeys: [secrets.rawReceiptPublicKey, ...secrets.previousReceiptKeys.map(({ raw }) => raw)],
    help: config.help,
    issuer: { ...config.issuer, ...(config.emblem && { emblem: config.emblem.path }) },
    isDemo: config.profile === 'demo',
    fee: { amount: config.feeAmount, currency: config.feeCurrency },
  }
}
