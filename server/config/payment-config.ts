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
  orange: { url: string; key: string; secret: string; authToken: string; merchant: string; pin: string }
  cinetPay: { apiUrl: string; pageUrl: string; apiKey: string; siteId: string; secret: string }
  uba: BankSettings
  bacm: BankSettings
  smobilpay: { url: string; token: string; secret: string; webhookSecret: string }
  collect: { url: string; key: string; secret: string }
  /** Origins that the policy allows too: for card forms of another back end (D67) and for redirects (3-D Secure). */
  cardOrigins: readonly string[]
}
type BankSettings = { url: string; pageUrl: string; merchant: string; secret: string }

const web = ['http', 'https']

/** A provider is enabled when its credentials are set. */
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
  VITE_CARD_ORIGINS: urls(web),
}
const Read = z.object(paymentVariables)

/** Converts the parsed variables. API addresses lose their trailing slashes; page addresses stay as given. */
export function readPayments(read: z.output<typeof Read>): PaymentSettings {
  return {
    simulators: read.PAYMENT_SIMULATORS === 'on',
    timeoutMs: read.PAYMENT_PATIENCE_SECONDS * 1_000,
    otherNumbers: read.MOBILE_OTHER_NUMBERS,
    mtn: {
      url: trim(read.MTN_MOMO_URL),
      subscriptionKey: read.MTN_MOMO_KEY,
      user: read.MTN_MOMO_USER,
      apiKey: read.MTN_MOMO_API_KEY,
      target: read.MTN_MOMO_TARGET,
    },
    orange: {
      url: trim(read.ORANGE_MONEY_URL),
      key: read.ORANGE_MONEY_KEY,
      secret: read.ORANGE_MONEY_SECRET,
      authToken: read.ORANGE_MONEY_AUTH_TOKEN,
      merchant: read.ORANGE_MONEY_MERCHANT,
      pin: read.ORANGE_MONEY_PIN,
    },
    cinetPay: {
      apiUrl: trim(read.CINETPAY_URL),
      pageUrl: read.CINETPAY_PAGE_URL,
      apiKey: read.CINETPAY_KEY,
      siteId: read.CINETPAY_SITE,
      secret: read.CINETPAY_SECRET,
    },
    uba: bankOf(read.UBA_URL, read.UBA_PAGE_URL, { merchant: read.UBA_MERCHANT, secret: read.UBA_SECRET }),
    bacm: bankOf(read.BACM_URL, read.BACM_PAGE_URL, {
      merchant: read.BACM_MERCHANT,
      secret: read.BACM_SECRET,
    }),
    smobilpay: {
      url: trim(read.SMOBILPAY_URL),
      token: read.SMOBILPAY_TOKEN,
      secret: read.SMOBILPAY_SECRET,
      webhookSecret: read.SMOBILPAY_WEBHOOK_SECRET,
    },
    collect: { url: trim(read.COLLECT_URL), key: read.COLLECT_KEY, secret: read.COLLECT_SECRET },
    cardOrigins: [...read.CARD_ORIGINS, ...read.VITE_CARD_ORIGINS],
  }
}

/** Returns one fault for each missing credential of a provider that has some: such a provider could take no payment. */
export function paymentFaults(given: readonly string[]): string[] {
  return Object.values(credentials).flatMap(names => {
    const missing = names.filter(name => !given.includes(name))
    if (missing.length === names.length) return []
    return missing.map(
      name => `${name} must be set, as ${names.filter(each => each !== name).join(', ')} is.`,
    )
  })
}

type ExternalProvider = keyof typeof credentials

const credentials = {
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

/** Returns for each provider whether it is enabled. `paymentFaults` has refused incomplete credentials before. */
export function switchedOn({ mtn, orange, cinetPay, uba, bacm, smobilpay, collect }: PaymentSettings) {
  return {
    mtn: mtn.subscriptionKey !== '' && mtn.user !== '' && mtn.apiKey !== '',
    orange: orange.key !== '' && orange.secret !== '' && orange.merchant !== '' && orange.pin !== '',
    cinetPay: cinetPay.apiKey !== '' && cinetPay.siteId !== '',
    uba: uba.merchant !== '' && uba.secret !== '',
    bacm: bacm.merchant !== '' && bacm.secret !== '',
    smobilpay: smobilpay.token !== '' && smobilpay.secret !== '',
    collect: collect.key !== '',
  } satisfies Record<ExternalProvider, boolean>
}

/**
 * Returns the origins of the enabled card gateways. The server returns no card form for another origin, and the
 * portal gets this list with `version`. The policy also allows `cardOrigins`.
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
