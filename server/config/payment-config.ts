import * as z from 'zod/mini'
import { oneOf, text, url, urls, whole } from './config-values.ts'

export type PaymentSettings = {
  /** Simulated providers on this machine (demo only). */
  simulators: boolean
  /** Timeout of one request to a provider. */
  timeoutMs: number
  /** The wallet for a number that belongs to no known operator. */
  otherNumbers: 'mtn' | 'orange'
  mtn: { url: string; subscriptionKey: string; user: string; apiKey: string; target: string }
  orange: { url: string; key: string; secret: string; authToken: string; merchantPhone: string; pin: string }
  cinetPay: { apiUrl: string; pageUrl: string; apiKey: string; siteId: string; secret: string }
  uba: BankSettings
  bacm: BankSettings
  smobilpay: { url: string; token: string; secret: string; webhookSecret: string }
  /** An aggregator, such as Soleaspay, that gets the payer's name, number and, for some wallets, code in one request. */
  collect: { url: string; key: string; secret: string }
  /**
   * Origins that the Content-Security-Policy allows for card forms beside `cardGateways`: those of a back end other than this
   * server (D67), and those to which a gateway redirects (3-D Secure).
   */
  cardOrigins: readonly string[]
}
type BankSettings = { url: string; pageUrl: string; merchant: string; secret: string }

const web = ['http', 'https']

/** A provider is enabled when its `requiredVariables` are set. */
export const paymentVariables = {
  PAYMENT_SIMULATORS: oneOf(['off', 'on'], 'off'),
  PAYMENT_PATIENCE_SECONDS: whole(1, 60, 10),
  MOBILE_OTHER_NUMBERS: oneOf(['mtn', 'orange'], 'mtn'),
  MTN_MOMO_URL: z.prefault(url(web), 'https://proxy.momoapi.mtn.com'),
  MTN_MOMO_KEY: text(''),
  MTN_MOMO_USER: text(''),
  MTN_MOMO_API_KEY: text(''),
  MTN_MOMO_TARGET: text('mtncameroon'),
  ORANGE_MONEY_URL: z.prefault(url(web), 'https://api-s1.orange.cm'),
  ORANGE_MONEY_KEY: text(''),
  ORANGE_MONEY_SECRET: text(''),
  ORANGE_MONEY_AUTH_TOKEN: text(''),
  ORANGE_MONEY_MERCHANT: text(''),
  ORANGE_MONEY_PIN: text(''),
  CINETPAY_URL: z.prefault(url(web), 'https://api.cinetpay.com'),
  CINETPAY_PAGE_URL: z.prefault(url(web), 'https://secure.cinetpay.com'),
  CINETPAY_KEY: text(''),
  CINETPAY_SITE: text(''),
  CINETPAY_SECRET: text(''),
  UBA_URL: z.optional(url(web)),
  UBA_PAGE_URL: z.optional(url(web)),
  UBA_MERCHANT: text(''),
  UBA_SECRET: text(''),
  BACM_URL: z.optional(url(web)),
  BACM_PAGE_URL: z.optional(url(web)),
  BACM_MERCHANT: text(''),
  BACM_SECRET: text(''),
  SMOBILPAY_URL: z.prefault(url(web), 'https://s3p.smobilpay.com/v2'),
  SMOBILPAY_TOKEN: text(''),
  SMOBILPAY_SECRET: text(''),
  SMOBILPAY_WEBHOOK_SECRET: text(''),
  COLLECT_URL: z.prefault(url(web), 'https://soleaspay.com'),
  COLLECT_KEY: text(''),
  COLLECT_SECRET: text(''),
  CARD_ORIGINS: urls(web),
  VITE_CARD_ORIGINS: urls(web), // also read by the build of the portal (D67)
}
const Variables = z.object(paymentVariables)

/** Converts the parsed variables. API addresses lose their trailing slashes; page addresses stay as given. */
export function readPayments(values: z.output<typeof Variables>): PaymentSettings {
  return {
    simulators: values.PAYMENT_SIMULATORS === 'on',
    timeoutMs: values.PAYMENT_PATIENCE_SECONDS * 1_000,
    otherNumbers: values.MOBILE_OTHER_NUMBERS,
    mtn: {
      url: trim(values.MTN_MOMO_URL),
      subscriptionKey: values.MTN_MOMO_KEY,
      user: values.MTN_MOMO_USER,
      apiKey: values.MTN_MOMO_API_KEY,
      target: values.MTN_MOMO_TARGET,
    },
    orange: {
      url: trim(values.ORANGE_MONEY_URL),
      key: values.ORANGE_MONEY_KEY,
      secret: values.ORANGE_MONEY_SECRET,
      authToken: values.ORANGE_MONEY_AUTH_TOKEN,
      merchantPhone: values.ORANGE_MONEY_MERCHANT,
      pin: values.ORANGE_MONEY_PIN,
    },
    cinetPay: {
      apiUrl: trim(values.CINETPAY_URL),
      pageUrl: values.CINETPAY_PAGE_URL,
      apiKey: values.CINETPAY_KEY,
      siteId: values.CINETPAY_SITE,
      secret: values.CINETPAY_SECRET,
    },
    uba: bankOf(values.UBA_URL, values.UBA_PAGE_URL, {
      merchant: values.UBA_MERCHANT,
      secret: values.UBA_SECRET,
    }),
    bacm: bankOf(values.BACM_URL, values.BACM_PAGE_URL, {
      merchant: values.BACM_MERCHANT,
      secret: values.BACM_SECRET,
    }),
    smobilpay: {
      url: trim(values.SMOBILPAY_URL),
      token: values.SMOBILPAY_TOKEN,
      secret: values.SMOBILPAY_SECRET,
      webhookSecret: values.SMOBILPAY_WEBHOOK_SECRET,
    },
    collect: { url: trim(values.COLLECT_URL), key: values.COLLECT_KEY, secret: values.COLLECT_SECRET },
    cardOrigins: [...values.CARD_ORIGINS, ...values.VITE_CARD_ORIGINS],
  }
}

/** Returns one fault for each variable that is missing for a provider of which others are set. `given`: all that are set. */
export function paymentFaults(given: readonly string[]): string[] {
  return Object.values(requiredVariables).flatMap(names => {
    const missing = names.filter(name => !given.includes(name))
    if (missing.length === names.length) return []
    const set = names.filter(name => given.includes(name)).join(', ')
    return missing.map(name => `${name} must be set beside ${set}: the provider takes no payment without it.`)
  })
}

type ExternalProvider = keyof typeof requiredVariables

/** Without those that may keep their defaults: some addresses, the target of MTN, and the secrets that only webhooks use. */
const requiredVariables = {
  mtn: ['MTN_MOMO_KEY', 'MTN_MOMO_USER', 'MTN_MOMO_API_KEY'],
  orange: [
    'ORANGE_MONEY_KEY',
    'ORANGE_MONEY_SECRET',
    'ORANGE_MONEY_AUTH_TOKEN',
    'ORANGE_MONEY_MERCHANT',
    'ORANGE_MONEY_PIN',
  ],
  cinetPay: ['CINETPAY_KEY', 'CINETPAY_SITE'],
  uba: ['UBA_URL', 'UBA_PAGE_URL', 'UBA_MERCHANT', 'UBA_SECRET'],
  bacm: ['BACM_URL', 'BACM_PAGE_URL', 'BACM_MERCHANT', 'BACM_SECRET'],
  smobilpay: ['SMOBILPAY_TOKEN', 'SMOBILPAY_SECRET'],
  collect: ['COLLECT_KEY'],
} as const

/** Returns for each provider whether it is enabled: whether all its required settings are there. */
export function switchedOn({ mtn, orange, cinetPay, uba, bacm, smobilpay, collect }: PaymentSettings) {
  return {
    mtn: areSet(mtn.subscriptionKey, mtn.user, mtn.apiKey),
    orange: areSet(orange.key, orange.secret, orange.authToken, orange.merchantPhone, orange.pin),
    cinetPay: areSet(cinetPay.apiKey, cinetPay.siteId),
    uba: areSet(uba.url, uba.pageUrl, uba.merchant, uba.secret),
    bacm: areSet(bacm.url, bacm.pageUrl, bacm.merchant, bacm.secret),
    smobilpay: areSet(smobilpay.token, smobilpay.secret),
    collect: areSet(collect.key),
  } satisfies Record<ExternalProvider, boolean>
}

function areSet(...values: string[]): boolean {
  return values.every(value => value !== '')
}

/**
 * Returns the origins of the enabled card gateways. The server returns no card form for another origin, and the
 * portal gets this list in the answer of the call `version`.
 */
export function cardGateways(settings: PaymentSettings): string[] {
  const on = switchedOn(settings)
  const pages = [
    on.cinetPay ? settings.cinetPay.pageUrl : '',
    on.uba ? settings.uba.pageUrl : '',
    on.bacm ? settings.bacm.pageUrl : '',
  ].filter(page => page !== '')
  return [...new Set(pages.map(page => new URL(page).origin))]
}

function bankOf(
  api: string | undefined,
  page: string | undefined,
  account: { merchant: string; secret: string },
): BankSettings {
  return { url: trim(api ?? ''), pageUrl: page ?? '', ...account }
}

function trim(address: string): string {
  return address.replace(/\/+$/, '')
}
