import { helpPhone } from '#contract/codes.ts'
import { methodTypes, type MethodType } from '#contract/payment.ts'
import * as z from 'zod/mini'
import {
  cardGateways,
  paymentFaults,
  type PaymentSettings,
  paymentVariables,
  readPayments,
} from './payment-config.ts'
import { originsOf, tlsFaults } from './tls-config.ts'
import { isTracing, tracingFaults, tracingVariables } from './tracing-config.ts'
import { databaseFaults, type MailServer, mailServersOf, plainTextFaults } from './transport-config.ts'
import {
  byteLists,
  bytes,
  type Emblem,
  emblem,
  jsonTemplate,
  listed,
  oneOf,
  origin,
  pathKey,
  pem,
  pems,
  publicKeyOf,
  secret,
  typedSecret,
  sender,
  text,
  trusted,
  url,
  whole,
} from './config-values.ts'

const smsProviders = ['none', 'http', 'orange', 'infobip'] as const
export type SmsProvider = (typeof smsProviders)[number]

/** Everything that an operator can set; `.env.example` explains each setting. Only `readConfig` creates it. */
export type Configuration = {
  profile: 'demo' | 'production'
  port: number
  /** Unset: no metrics are served. */
  metricsPort: number | undefined
  /** Address of this machine at which the metrics are served. */
  metricsHost: string
  /** Whether spans are sent to a collector (D106). The packages read the other OTEL_ variables by themselves. */
  isTracing: boolean
  dataDir: string
  databaseUrl: string | undefined
  /**
   * Connections in the pool of this process, and the longest time of a wait for a free one, a statement, a wait for a
   * lock, and a pause within a transaction. Only for PostgreSQL, except the wait for a free connection.
   */
  database: {
    connections: number
    waitSeconds: number
    statementSeconds: number
    lockSeconds: number
    idleSeconds: number
  }
  publicOrigin: string
  /** Whether this server terminates TLS itself (demo only). */
  tls: boolean
  /** All origins of this server, `publicOrigin` first. */
  origins: readonly string[]
  /** Proxies whose X-Forwarded-For the server trusts. */
  trustedProxies: readonly string[]
  /** Open connections of one address that is no trusted proxy; undefined: any number (demo). */
  connectionsPerAddress: number | undefined
  logLevel: 'debug' | 'info' | 'warn' | 'error'
  /** Whether this process sends messages and runs the periodic jobs. */
  jobs: boolean
  /** Lifetime of a one-time code, also of one that proves or adds a contact. */
  otpTtlSeconds: number
  tokenLifetimeSeconds: number
  /** The portal logs the applicant out after this time without activity. */
  inactivitySeconds: number
  /** A session ends after this time without a refresh. */
  sessionIdleSeconds: number
  /** A session ends after this time in any case. */
  sessionMaxSeconds: number
  /** A hold ends after this time unless the applicant confirms it. */
  holdSeconds: number
  /**
   * A place that an applicant has freed, or whose hold has expired, is offered to other applicants after a random time up to
   * this limit.
   */
  freedPlaceSeconds: number
  /** Number of changes of its appointment that an application may have. */
  changeLimit: number
  captcha: 'altcha' | 'recaptcha' | 'off'
  /** The work of a usual puzzle: a browser derives at most 3 times this number of keys, and on average 1.5 times. */
  captchaWork: number
  recaptcha: { siteKey: string; secret: string; verifyUrl: string }
  /** Codes, or wrong codes, per hour from one network before a captcha is required. */
  networkCodesPerHour: number
  /** Codes by SMS per day: to the home country, and to each other country code. */
  smsBudgetHome: number
  smsBudgetAbroad: number
  /** Codes by e-mail per day. */
  emailBudget: number
  /** Messages that are no codes, per day: SMS to the home country, SMS to each other country code, e-mails (D109). */
  noticeBudget: { home: number; abroad: number; email: number }
  /** The second one is used when the first one fails. Empty: e-mails go to a folder. */
  mailServers: readonly MailServer[]
  mailFrom: string
  sms: {
    provider: SmsProvider
    /** The gateway that is used when `provider` fails. */
    fallback: SmsProvider
    /** Part of the URL of delivery reports; unset: the server accepts none. */
    reportKey: string | undefined
    http: { url: string | undefined; token: string | undefined; body: string }
    orange: { url: string; clientId: string; clientSecret: string; sender: string; senderName: string }
    infobip: { url: string; key: string; sender: string }
  }
  /** Only MOCK and WHITELIST have an effect in this list; the credentials of every other method enable it. */
  paymentMethods: readonly MethodType[]
  payments: PaymentSettings
  /** Origin of the API, when it is not this server. */
  apiOrigin: string | undefined
  /** The fee of an application, in whole units of the currency: the portal and the providers get this number (D15). */
  feeAmount: number
  feeCurrency: string
  /** With this code office staff end the kiosk mode of a device; undefined: the portal cannot end it (D38). */
  kioskCode: string | undefined
  /** Contacts for applicants: the portal shows them, and each receipt and each proof of a payment has them. */
  help: { phone: string; email: string }
  /**
   * Who is responsible for the service. The header shows state and authority, the legal notice all; empty: not given.
   */
  issuer: { state: string; authority: string; address: string; host: string }
  /** The image beside the issuer's name; undefined: none. */
  emblem: Emblem | undefined
  /** Keys of the operator. Missing keys are generated and stored in the database (demo only). */
  keys: {
    tokenKey: Uint8Array | undefined
    codeKey: Uint8Array | undefined
    draftKey: Uint8Array | undefined
    captchaKey: Uint8Array | undefined
    receiptPrivateKey: string | undefined
    /** The key that encrypts personal data in the database (D71). */
    dataKey: Uint8Array | undefined
    /** Keys that only decrypt. While the operator changes `dataKey`: at first the new key, later the old ones. */
    previousDataKeys: readonly Uint8Array[]
    /** A second key, which signs and encrypts nothing. During a change: at first the new key, later the old one (D110). */
    previousTokenKey: Uint8Array | undefined
    /** As `previousTokenKey`, beside `draftKey`. */
    previousDraftKey: Uint8Array | undefined
    /** The keys that signed earlier receipts, to verify these (D110). */
    previousReceiptKeys: readonly string[]
  }
}

export type ConfigResult = { kind: 'config'; config: Configuration } | { kind: 'faults'; faults: string[] }

/**
 * Reads the configuration, or returns one line per fault: of the values or, when all values are right, of the rules of the
 * profile and between settings. An empty variable is unset. `lanAddresses`: the addresses of this machine in the local
 * network, for the origins with TLS=on.
 */
export function readConfig(
  env: Record<string, string | undefined>,
  lanAddresses: readonly string[] = [],
): ConfigResult {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''),
  )
  const parsed = z.safeParse(Variables, given)
  if (!parsed.success)
    return {
      kind: 'faults',
      faults: parsed.error.issues.map(issue => `${String(issue.path[0])} ${issue.message}`),
    }
  const config = toConfiguration(parsed.data, lanAddresses)
  const faults = [
    ...smsFaults(config),
    ...paymentFaults(Object.keys(given)),
    ...tlsFaults(config),
    ...tracingFaults(parsed.data),
    ...(config.profile === 'production'
      ? [
          ...productionFaults(config),
          ...plainTextFaults(parsed.data),
          ...databaseFaults(config.databaseUrl, env['PGHOST']),
        ]
      : []),
  ]
  return faults.length > 0 ? { kind: 'faults', faults } : { kind: 'config', config }
}

/** The names of all variables. */
export function variableNames(): string[] {
  return Object.keys(Variables.shape)
}

const demoSender = 'Passeport <no-reply@localhost>'

const Variables = z.object({
  PROFILE: oneOf(['demo', 'production'], 'demo'),
  PORT: whole(0, 65_535, 8080),
  METRICS_PORT: z.optional(whole(0, 65_535)),
  METRICS_HOST: text('127.0.0.1'),
  ...tracingVariables,
  DATA_DIR: text('./data'),
  DATABASE_URL: z.optional(url(['postgres', 'postgresql', 'memory'])),
  DATABASE_CONNECTIONS: whole(2, 500, 10),
  DATABASE_WAIT_SECONDS: whole(1, 30, 10),
  DATABASE_STATEMENT_SECONDS: whole(1, 3_600, 30),
  DATABASE_LOCK_SECONDS: whole(1, 3_600, 3),
  DATABASE_IDLE_SECONDS: whole(1, 3_600, 5),
  PUBLIC_ORIGIN: z.optional(origin(['http', 'https'])),
  TLS: oneOf(['on', 'off'], 'off'),
  TRUSTED_PROXIES: trusted(),
  CONNECTIONS_PER_ADDRESS: z.optional(whole(1, 100_000)),
  LOG_LEVEL: oneOf(['debug', 'info', 'warn', 'error'], 'info'),
  JOBS: oneOf(['on', 'off'], 'on'),
  OTP_TTL_SECONDS: z.optional(whole(1, 600)),
  TOKEN_LIFETIME_SECONDS: whole(2, 3_600, 900),
  INACTIVITY_SECONDS: whole(1, 86_400, 600),
  SESSION_IDLE_SECONDS: whole(2, 86_400, 7_200),
  SESSION_MAX_SECONDS: whole(2, 604_800, 43_200),
  HOLD_SECONDS: whole(1, 86_400, 600),
  FREED_PLACE_SECONDS: whole(0, 3_600, 60),
  CHANGE_LIMIT: whole(0, 100, 1),
  CAPTCHA: oneOf(['altcha', 'recaptcha', 'off'], 'altcha'),
  CAPTCHA_WORK: whole(10, 100_000, 1_000),
  RECAPTCHA_SITE_KEY: text(''),
  RECAPTCHA_SECRET: text(''),
  RECAPTCHA_VERIFY_URL: z.prefault(url(['http', 'https']), 'https://www.google.com/recaptcha/api/siteverify'),
  NETWORK_CODES_PER_HOUR: whole(1, 100_000, 30),
  SMS_BUDGET_HOME: whole(0, 10_000_000, 20_000),
  SMS_BUDGET_ABROAD: whole(0, 10_000_000, 500),
  EMAIL_BUDGET: whole(0, 10_000_000, 20_000),
  NOTICE_BUDGET_HOME: whole(0, 10_000_000, 200_000),
  NOTICE_BUDGET_ABROAD: whole(0, 10_000_000, 5_000),
  NOTICE_BUDGET_EMAIL: whole(0, 10_000_000, 200_000),
  SMTP_URL: z.optional(url(['smtp', 'smtps'])),
  SMTP_FALLBACK_URL: z.optional(url(['smtp', 'smtps'])),
  MAIL_FROM: sender(demoSender),
  SMS_PROVIDER: oneOf(smsProviders, 'http'),
  SMS_FALLBACK: oneOf(smsProviders, 'none'),
  SMS_REPORT_KEY: z.optional(pathKey()),
  ORANGE_URL: z.prefault(url(['http', 'https']), 'https://api.orange.com'),
  ORANGE_CLIENT_ID: text(''),
  ORANGE_CLIENT_SECRET: text(''),
  ORANGE_SENDER: text(''),
  ORANGE_SENDER_NAME: text(''),
  INFOBIP_URL: z.prefault(url(['http', 'https']), 'https://api.infobip.com'),
  INFOBIP_KEY: text(''),
  INFOBIP_SENDER: text(''),
  SMS_URL: z.optional(url(['http', 'https'])),
  SMS_TOKEN: z.optional(secret()),
  SMS_BODY: jsonTemplate({ needed: ['to', 'text'], numeric: ['to'] }, '{"to":"{to}","text":"{text}"}'),
  PAYMENT_METHODS: z.optional(listed(methodTypes)),
  ...paymentVariables,
  VITE_API_ORIGIN: z.optional(url(['http', 'https'])),
  FEE_AMOUNT: whole(0, 100_000_000, 110_000),
  FEE_CURRENCY: oneOf(['XAF', 'EUR', 'USD'], 'XAF'),
  KIOSK_CODE: z.optional(typedSecret()),
  HELP_PHONE: text(helpPhone),
  HELP_EMAIL: text('contact@passcam.cm'),
  ISSUER_STATE: text(''),
  ISSUER_AUTHORITY: text(''),
  ISSUER_ADDRESS: text(''),
  ISSUER_HOST: text(''),
  ISSUER_EMBLEM: z.optional(emblem()),
  TOKEN_KEY: z.optional(bytes(32)),
  CODE_KEY: z.optional(bytes(32)),
  DRAFT_KEY: z.optional(bytes(32)),
  CAPTCHA_KEY: z.optional(bytes(32)),
  DATA_KEY: z.optional(bytes(32)),
  DATA_KEYS_PREVIOUS: z.optional(byteLists(32)),
  RECEIPT_PRIVATE_KEY: z.optional(pem()),
  TOKEN_KEY_PREVIOUS: z.optional(bytes(32)),
  DRAFT_KEY_PREVIOUS: z.optional(bytes(32)),
  RECEIPT_KEYS_PREVIOUS: z.optional(pems()),
})
type Read = z.output<typeof Variables>

function toConfiguration(read: Read, lanAddresses: readonly string[]): Configuration {
  const production = read.PROFILE === 'production'
  const origins = originsOf(read, lanAddresses)
  return {
    profile: read.PROFILE,
    port: read.PORT,
    metricsPort: read.METRICS_PORT,
    metricsHost: read.METRICS_HOST,
    isTracing: isTracing(read),
    dataDir: read.DATA_DIR,
    databaseUrl: read.DATABASE_URL,
    database: readDatabase(read),
    publicOrigin: origins[0],
    tls: read.TLS === 'on',
    origins,
    trustedProxies: read.TRUSTED_PROXIES,
    connectionsPerAddress: read.CONNECTIONS_PER_ADDRESS ?? (production ? 100 : undefined),
    logLevel: read.LOG_LEVEL,
    jobs: read.JOBS === 'on',
    otpTtlSeconds: read.OTP_TTL_SECONDS ?? (production ? 300 : 60),
    tokenLifetimeSeconds: read.TOKEN_LIFETIME_SECONDS,
    inactivitySeconds: read.INACTIVITY_SECONDS,
    sessionIdleSeconds: Math.max(read.SESSION_IDLE_SECONDS, read.TOKEN_LIFETIME_SECONDS),
    sessionMaxSeconds: read.SESSION_MAX_SECONDS,
    holdSeconds: read.HOLD_SECONDS,
    freedPlaceSeconds: read.FREED_PLACE_SECONDS,
    changeLimit: read.CHANGE_LIMIT,
    captcha: read.CAPTCHA,
    captchaWork: read.CAPTCHA_WORK,
    recaptcha: {
      siteKey: read.RECAPTCHA_SITE_KEY,
      secret: read.RECAPTCHA_SECRET,
      verifyUrl: read.RECAPTCHA_VERIFY_URL,
    },
    networkCodesPerHour: read.NETWORK_CODES_PER_HOUR,
    smsBudgetHome: read.SMS_BUDGET_HOME,
    smsBudgetAbroad: read.SMS_BUDGET_ABROAD,
    emailBudget: read.EMAIL_BUDGET,
    noticeBudget: readNoticeBudget(read),
    ...readMail(read),
    sms: readSms(read),
    paymentMethods: read.PAYMENT_METHODS ?? (production ? ['WHITELIST'] : ['MOCK', 'WHITELIST']),
    payments: readPayments(read),
    apiOrigin: read.VITE_API_ORIGIN === undefined ? undefined : new URL(read.VITE_API_ORIGIN).origin,
    feeAmount: read.FEE_AMOUNT,
    feeCurrency: read.FEE_CURRENCY,
    kioskCode: read.KIOSK_CODE,
    help: { phone: read.HELP_PHONE, email: read.HELP_EMAIL },
    issuer: {
      state: read.ISSUER_STATE,
      authority: read.ISSUER_AUTHORITY,
      address: read.ISSUER_ADDRESS,
      host: read.ISSUER_HOST,
    },
    emblem: read.ISSUER_EMBLEM,
    keys: readKeys(read),
  }
}

function readKeys(read: Read): Configuration['keys'] {
  return {
    tokenKey: read.TOKEN_KEY,
    codeKey: read.CODE_KEY,
    draftKey: read.DRAFT_KEY,
    captchaKey: read.CAPTCHA_KEY,
    dataKey: read.DATA_KEY,
    previousDataKeys: read.DATA_KEYS_PREVIOUS ?? [],
    receiptPrivateKey: read.RECEIPT_PRIVATE_KEY,
    previousTokenKey: read.TOKEN_KEY_PREVIOUS,
    previousDraftKey: read.DRAFT_KEY_PREVIOUS,
    previousReceiptKeys: read.RECEIPT_KEYS_PREVIOUS ?? [],
  }
}

function readDatabase(read: Read): Configuration['database'] {
  return {
    connections: read.DATABASE_CONNECTIONS,
    waitSeconds: read.DATABASE_WAIT_SECONDS,
    statementSeconds: read.DATABASE_STATEMENT_SECONDS,
    lockSeconds: read.DATABASE_LOCK_SECONDS,
    idleSeconds: read.DATABASE_IDLE_SECONDS,
  }
}

function readNoticeBudget(read: Read): Configuration['noticeBudget'] {
  return { home: read.NOTICE_BUDGET_HOME, abroad: read.NOTICE_BUDGET_ABROAD, email: read.NOTICE_BUDGET_EMAIL }
}

function readMail(read: Read): Pick<Configuration, 'mailServers' | 'mailFrom'> {
  return { mailServers: mailServersOf(read), mailFrom: read.MAIL_FROM }
}

function readSms(read: Read): Configuration['sms'] {
  return {
    provider: read.SMS_PROVIDER,
    fallback: read.SMS_FALLBACK,
    reportKey: read.SMS_REPORT_KEY,
    http: { url: read.SMS_URL, token: read.SMS_TOKEN, body: read.SMS_BODY },
    orange: {
      url: new URL(read.ORANGE_URL).origin,
      clientId: read.ORANGE_CLIENT_ID,
      clientSecret: read.ORANGE_CLIENT_SECRET,
      sender: read.ORANGE_SENDER.replace(/\D/g, ''),
      senderName: read.ORANGE_SENDER_NAME,
    },
    infobip: {
      url: new URL(read.INFOBIP_URL).origin,
      key: read.INFOBIP_KEY,
      sender: read.INFOBIP_SENDER,
    },
  }
}

/** Faults in the demo too: missing credentials of the selected SMS gateways, and a fallback to the same gateway. */
function smsFaults({ sms }: Configuration): string[] {
  const named = [sms.provider, sms.fallback]
  const needed: [provider: SmsProvider, variable: string, value: string][] = [
    ['orange', 'ORANGE_CLIENT_ID', sms.orange.clientId],
    ['orange', 'ORANGE_CLIENT_SECRET', sms.orange.clientSecret],
    ['orange', 'ORANGE_SENDER', sms.orange.sender],
    ['infobip', 'INFOBIP_KEY', sms.infobip.key],
    ['infobip', 'INFOBIP_SENDER', sms.infobip.sender],
  ]
  // As SMS_PROVIDER, http without SMS_URL writes SMS to a folder, which production refuses.
  if (sms.fallback === 'http' && sms.provider !== 'http') needed.push(['http', 'SMS_URL', sms.http.url ?? ''])
  const missing = needed
    .filter(([provider, , value]) => named.includes(provider) && value === '')
    .map(([provider, variable]) => `${variable} must be set to send SMS by ${provider}.`)
  const same = sms.fallback !== 'none' && sms.fallback === sms.provider
  return same ? [...missing, 'SMS_FALLBACK must not be the same as SMS_PROVIDER.'] : missing
}

/** Returns faults of settings that are allowed in the demo but not in production (D2). */
function productionFaults(config: Configuration): string[] {
  const postgresql = config.databaseUrl?.startsWith('postgres')
  const shared = keysInCommon(config.keys)
  const checks: [ok: boolean, fault: string][] = [
    [
      postgresql === true,
      'DATABASE_URL must name a PostgreSQL server: the embedded database is for the demo.',
    ],
    [
      config.trustedProxies.length > 0,
      'TRUSTED_PROXIES must name the proxy, for example loopback: without it all applicants share one network limit.',
    ],
    [
      config.mailFrom !== demoSender,
      'MAIL_FROM must be set: the sender of all e-mails, such as Passeport <no-reply@example.cm>.',
    ],
    [config.mailServers.length > 0, 'SMTP_URL must be set: writing e-mails to a folder is for the demo.'],
    [
      config.sms.provider !== 'none' && (config.sms.provider !== 'http' || config.sms.http.url !== undefined),
      'SMS_URL must be set, or SMS_PROVIDER be orange or infobip: writing SMS to a folder is for the demo.',
    ],
    [!config.paymentMethods.includes('MOCK'), 'PAYMENT_METHODS must not contain MOCK: it takes no money.'],
    [!config.payments.simulators, 'PAYMENT_SIMULATORS must be off: they take no money.'],
    [
      cardGateways(config.payments).every(gateway => gateway.startsWith('https:')),
      'CINETPAY_PAGE_URL, UBA_PAGE_URL and BACM_PAGE_URL must be https addresses: payers type card numbers there.',
    ],
    [config.captcha !== 'off', 'CAPTCHA must not be off: it takes altcha or recaptcha.'],
    [
      config.publicOrigin.startsWith('https:'),
      'PUBLIC_ORIGIN must be an https address: sign-in needs secure cookies. A proxy must serve https: see docs/deploy.md.',
    ],
    [
      shared.length === 0,
      `${shared.join(' and ')} must differ: no key may be given twice, because each protects another thing and a change of a key needs a new one.`,
    ],
    ...Object.entries(keyVariables).map(([key, name]): [boolean, string] => [
      Object.entries(config.keys).some(([other, value]) => other === key && value !== undefined),
      `${name} must be set: generated secrets are for the demo.`,
    ]),
  ]
  if (config.captcha === 'recaptcha' && (config.recaptcha.siteKey === '' || config.recaptcha.secret === ''))
    checks.push([false, 'RECAPTCHA_SITE_KEY and RECAPTCHA_SECRET must be set for CAPTCHA=recaptcha.'])
  return checks.filter(([ok]) => !ok).map(([, fault]) => fault)
}

/** Returns the names of the variables that have a key in common, or one key twice. */
function keysInCommon(keys: Configuration['keys']): string[] {
  const texts = Object.entries(comparedVariables).flatMap(([key, name]) => {
    const value = Object.entries(keys).find(([other]) => other === key)?.[1]
    return [value ?? []].flat().map(each => ({
      name,
      text: each instanceof Uint8Array ? Buffer.from(each).toString('hex') : publicKeyOf(each),
    }))
  })
  const shared = texts.filter(one => texts.some(other => other !== one && other.text === one.text))
  return [...new Set(shared.map(({ name }) => name))]
}

/** The keys that production must have. */
const keyVariables = {
  tokenKey: 'TOKEN_KEY',
  codeKey: 'CODE_KEY',
  draftKey: 'DRAFT_KEY',
  captchaKey: 'CAPTCHA_KEY',
  dataKey: 'DATA_KEY',
  receiptPrivateKey: 'RECEIPT_PRIVATE_KEY',
} as const satisfies Partial<Record<keyof Configuration['keys'], string>>

const comparedVariables = {
  ...keyVariables,
  previousTokenKey: 'TOKEN_KEY_PREVIOUS',
  previousDraftKey: 'DRAFT_KEY_PREVIOUS',
  previousDataKeys: 'DATA_KEYS_PREVIOUS',
  previousReceiptKeys: 'RECEIPT_KEYS_PREVIOUS',
} as const
