import { createPublicKey, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Configuration, readConfig, variableNames } from '#server/config/config.ts'
import { newKey, productionSettings } from '#support/data/production-settings.ts'

function configOf(env: Record<string, string>): Configuration {
  const result = readConfig(env)
  if (result.kind === 'faults') throw new Error(result.faults.join('\n'))
  return result.config
}

function faultsOf(env: Record<string, string>): string[] {
  const result = readConfig(env)
  return result.kind === 'faults' ? result.faults : []
}

const production = {
  ...productionSettings,
  DATABASE_URL: 'postgres://portal@db/portal?sslmode=verify-full',
  PUBLIC_ORIGIN: 'https://passeport.example.cm/',
  DRAFT_KEY: randomBytes(32).toString('hex'),
  CAPTCHA_KEY: randomBytes(32).toString('base64url'),
}

const publicReceiptKey = createPublicKey(production.RECEIPT_PRIVATE_KEY)
  .export({ type: 'spki', format: 'pem' })
  .toString()

const inBase64 = (pem: string) => Buffer.from(pem).toString('base64')

describe('the configuration', () => {
  it('has defaults with which the demo needs no variable', () => {
    expect(configOf({})).toMatchObject({
      profile: 'demo',
      port: 8080,
      dataDir: './data',
      databaseUrl: undefined,
      publicOrigin: 'http://localhost:8080',
      otpTtlSeconds: 60,
      tokenLifetimeSeconds: 900,
      inactivitySeconds: 600,
      holdSeconds: 600,
      changeLimit: 1,
      captcha: 'altcha',
      feeAmount: 110_000,
      feeCurrency: 'XAF',
      paymentMethods: ['MOCK', 'WHITELIST'],
    })
  })

  it('treats an empty variable as unset', () => {
    expect(configOf({ PORT: '', DATABASE_URL: ' ', OTP_TTL_SECONDS: '' })).toEqual(configOf({}))
  })

  it.each([
    ['PORT', 'abc', 'PORT takes a whole number from 0 to 65535.'],
    ['PORT', '70000', 'PORT takes a whole number from 0 to 65535.'],
    ['PORT', '80.5', 'PORT takes a whole number from 0 to 65535.'],
    ['PROFILE', 'prod', 'PROFILE takes demo or production.'],
    ['CAPTCHA', 'none', 'CAPTCHA takes altcha, recaptcha or off.'],
    ['OTP_TTL_SECONDS', '601', 'OTP_TTL_SECONDS takes a whole number from 1 to 600.'],
    [
      'DATABASE_URL',
      'mysql://db',
      'DATABASE_URL takes an address that begins with postgres://, postgresql:// or memory://.',
    ],
    ['PUBLIC_ORIGIN', 'passeport.cm', 'PUBLIC_ORIGIN takes an address that begins with http:// or https://.'],
    [
      'PUBLIC_ORIGIN',
      'https://passeport.cm/portail',
      'PUBLIC_ORIGIN takes an address without a path: the portal is at the root of its host.',
    ],
    ['TRUSTED_PROXIES', '10.0.0.0/99', 'TRUSTED_PROXIES takes addresses or networks with commas between.'],
    ['TRUSTED_PROXIES', 'true', 'TRUSTED_PROXIES takes addresses or networks with commas between.'],
    [
      'PAYMENT_METHODS',
      'CASH',
      'PAYMENT_METHODS takes a list with commas of MOBILE, CARD_UBA, CARD, BACM, AGGREGATOR, MOCK, WHITELIST.',
    ],
    [
      'ISSUER_EMBLEM',
      'data:image/jpeg;base64,AAAA',
      'ISSUER_EMBLEM takes an SVG or PNG image of at most 20 KiB as a data URL in base64.',
    ],
    ['SMS_BODY', '{"to":"{to}","text":"{message}"}', 'SMS_BODY takes JSON with {to} and {text}.'],
    ['SMS_BODY', '{"to":"{to}","text":{text}}', 'SMS_BODY takes JSON with {to} and {text}.'],
    ['SMS_BODY', 'to={to}&text={text}', 'SMS_BODY takes JSON with {to} and {text}.'],
    [
      'MAIL_FROM',
      'Passeport',
      'MAIL_FROM takes an address, such as no-reply@example.cm, or a name and the address in angle brackets.',
    ],
    ['TOKEN_KEY', 'c2hvcnQ=', 'TOKEN_KEY takes a key of at least 32 bytes, as base64 or hexadecimal.'],
    [
      'TOKEN_KEY',
      'this is a sentence and not a key, although it has letters enough',
      'TOKEN_KEY takes a key of at least 32 bytes, as base64 or hexadecimal.',
    ],
    ['KIOSK_CODE', 'bureau-7431 ', 'KIOSK_CODE takes 8 to 100 characters without a space at either end.'],
    ['KIOSK_CODE', 'x'.repeat(101), 'KIOSK_CODE takes 8 to 100 characters without a space at either end.'],
    [
      'RECEIPT_PRIVATE_KEY',
      'no key',
      'RECEIPT_PRIVATE_KEY takes an Ed25519 private key as PKCS#8 PEM, or that in base64.',
    ],
  ])('refuses %s=%s with one line', (name, value, fault) => {
    expect(faultsOf({ [name]: value })).toEqual([fault])
  })

  it.each([
    [{ SMS_PROVIDER: 'orange' }, ['ORANGE_CLIENT_ID', 'ORANGE_CLIENT_SECRET', 'ORANGE_SENDER']],
    [{ SMS_FALLBACK: 'infobip' }, ['INFOBIP_KEY', 'INFOBIP_SENDER']],
    [{ SMS_PROVIDER: 'http', SMS_FALLBACK: 'http' }, ['SMS_FALLBACK']],
    [
      {
        SMS_PROVIDER: 'infobip',
        INFOBIP_KEY: 'key',
        INFOBIP_SENDER: 'PASSEPORT',
        SMS_FALLBACK: 'http',
      },
      ['SMS_URL'],
    ],
    [{ SMS_REPORT_KEY: 'short/key' }, ['SMS_REPORT_KEY']],
  ])('names the variables of the SMS gateway that are missing or wrong in %j', (env, names) => {
    expect(faultsOf(env).map(fault => fault.split(' ')[0])).toEqual(names)
  })

  it('accepts a named SMS gateway instead of SMS_URL in production', () => {
    const { SMS_URL: _, ...rest } = production
    const infobip = { SMS_PROVIDER: 'infobip', INFOBIP_KEY: 'key', INFOBIP_SENDER: 'PASSEPORT' }
    expect(faultsOf({ ...rest, ...infobip })).toEqual([])
    expect(faultsOf({ ...rest, SMS_PROVIDER: 'none' })).toHaveLength(1)
  })

  it.each(['no-reply@example.cm', 'Passeport <no-reply@localhost>'])(
    'accepts %s as the sender of e-mails',
    sender => {
      expect(configOf({ MAIL_FROM: sender }).mailFrom).toBe(sender)
    },
  )

  it('accepts a body of SMS with a number that has no quotes', () => {
    const body = '{"to":{to},"body":{"text":"{text}"},"id":"{key}"}'
    expect(configOf({ SMS_BODY: body }).sms.http.body).toBe(body)
  })

  it('names beside each missing variable of a payment provider only those that are set', () => {
    const set = { UBA_PAGE_URL: 'https://cards.uba.example', UBA_SECRET: 's' }
    expect(faultsOf(set)).toEqual([
      'UBA_URL must be set beside UBA_PAGE_URL, UBA_SECRET: the provider takes no payment without it.',
      'UBA_MERCHANT must be set beside UBA_PAGE_URL, UBA_SECRET: the provider takes no payment without it.',
    ])
  })

  it('names every fault on its own line, and no secret', () => {
    const faults = faultsOf({ PORT: 'x', CAPTCHA: 'y', CHANGE_LIMIT: '-1', TOKEN_KEY: 'hunter2' })
    expect(faults.map(fault => fault.split(' ')[0])).toEqual(['PORT', 'CHANGE_LIMIT', 'CAPTCHA', 'TOKEN_KEY'])
    expect(faults.join('\n')).not.toContain('hunter2')
  })

  it('parses lists and keys', () => {
    const config = configOf({
      TRUSTED_PROXIES: 'loopback, 10.0.0.0/8,2001:db8::/32',
      RECEIPT_PRIVATE_KEY: Buffer.from(production.RECEIPT_PRIVATE_KEY).toString('base64'),
    })
    expect(config.trustedProxies).toEqual(['loopback', '10.0.0.0/8', '2001:db8::/32'])
    expect(config.keys.receiptPrivateKey).toBe(production.RECEIPT_PRIVATE_KEY)
  })
})

describe('PROFILE=production', () => {
  it('is accepted when every required variable is set, and codes last longer', () => {
    expect(configOf(production)).toMatchObject({
      profile: 'production',
      publicOrigin: 'https://passeport.example.cm',
      otpTtlSeconds: 300,
      paymentMethods: ['WHITELIST'],
    })
  })

  it.each([
    [{ DATABASE_URL: '' }, 'DATABASE_URL'],
    [{ DATABASE_URL: 'memory://' }, 'DATABASE_URL'],
    [{ DATABASE_URL: 'postgres://portal@db/portal' }, 'DATABASE_URL'],
    [{ DATABASE_URL: 'postgres://portal@db/portal?sslmode=prefer' }, 'DATABASE_URL'],
    [{ DATABASE_URL: 'postgres:///portal?host=db.example.cm' }, 'DATABASE_URL'],
    [{ SMTP_URL: '' }, 'SMTP_URL'],
    [{ SMS_URL: '' }, 'SMS_URL'],
    [{ MAIL_FROM: '' }, 'MAIL_FROM'],
    [{ TRUSTED_PROXIES: '' }, 'TRUSTED_PROXIES'],
    [{ CODE_KEY: production.TOKEN_KEY }, 'TOKEN_KEY'],
    [{ DATA_KEYS_PREVIOUS: `${newKey()},${production.DATA_KEY}` }, 'DATA_KEY'],
    [{ RECEIPT_KEYS_PREVIOUS: inBase64(production.RECEIPT_PRIVATE_KEY) }, 'RECEIPT_PRIVATE_KEY'],
    [{ RECEIPT_KEYS_PREVIOUS: inBase64(publicReceiptKey) }, 'RECEIPT_PRIVATE_KEY'],
    [{ RECEIPT_KEYS_PREVIOUS: 'nonsense' }, 'RECEIPT_KEYS_PREVIOUS'],
    [{ PAYMENT_METHODS: 'WHITELIST,MOCK' }, 'PAYMENT_METHODS'],
    [{ CAPTCHA: 'off' }, 'CAPTCHA'],
    [{ CAPTCHA: 'recaptcha' }, 'RECAPTCHA_SITE_KEY'],
    [{ PUBLIC_ORIGIN: 'http://passeport.example.cm' }, 'PUBLIC_ORIGIN'],
    [{ PUBLIC_ORIGIN: 'http://localhost:8080' }, 'PUBLIC_ORIGIN'],
    [{ PUBLIC_ORIGIN: '' }, 'PUBLIC_ORIGIN'],
    [{ TOKEN_KEY: '' }, 'TOKEN_KEY'],
    [{ CODE_KEY: '' }, 'CODE_KEY'],
    [{ DATA_KEY: '' }, 'DATA_KEY'],
    [{ DRAFT_KEY: '' }, 'DRAFT_KEY'],
    [{ CAPTCHA_KEY: '' }, 'CAPTCHA_KEY'],
    [{ RECEIPT_PRIVATE_KEY: '' }, 'RECEIPT_PRIVATE_KEY'],
  ])('is refused with %j', (changed, named) => {
    const faults = faultsOf({ ...production, ...changed })
    expect(faults).toHaveLength(1)
    expect(faults[0]?.split(' ')[0]).toBe(named)
  })
})

describe('PostgreSQL with PROFILE=production', () => {
  it.each([
    'postgres://portal@localhost/portal',
    'postgres://portal@127.0.0.1:5433/portal',
    'postgres://portal@[::1]:5433/portal',
    'postgres:///portal?host=::1',
    'postgres:///portal?host=/var/run/postgresql',
    'postgres://portal@database/portal?sslmode=disable',
    'postgres://portal@10.1.2.3/portal?sslmode=disable',
    'postgres://portal@172.31.0.2/portal?sslmode=disable',
    'postgres://portal@[fd00::1]/portal?sslmode=disable',
    'postgres://portal@db.example.cm/portal?sslmode=verify-full',
  ])('is accepted at %s', address => {
    expect(faultsOf({ ...production, DATABASE_URL: address })).toEqual([])
  })

  it('is refused without TLS also when only PGHOST names another machine', () => {
    const withoutHost = { ...production, DATABASE_URL: 'postgres:///portal' }
    expect(faultsOf(withoutHost)).toEqual([])
    expect(faultsOf({ ...withoutHost, PGHOST: '/var/run/postgresql' })).toEqual([])
    const faults = faultsOf({ ...withoutHost, PGHOST: 'db.example.cm' })
    expect(faults.map(fault => fault.split(' ')[0])).toEqual(['DATABASE_URL'])
  })

  it.each([
    'postgres://portal@db.example.cm/portal',
    'postgres://portal@db.example.cm/portal?sslmode=disable',
    'postgres://portal@172.32.0.2/portal?sslmode=disable',
    'postgres://portal@10.1.example.cm/portal?sslmode=disable',
    'postgres:///portal?host=::1&host=db.example.cm',
    'postgres://portal@db.example.cm/portal?host=',
    'postgres://portal@db.example.cm/portal?sslmode=verify-full&sslmode=disable',
    'postgres://portal@database/portal?sslmode=prefer',
  ])('is refused at %s', address => {
    expect(faultsOf({ ...production, DATABASE_URL: address }).map(fault => fault.split(' ')[0])).toEqual([
      'DATABASE_URL',
    ])
  })
})

describe('an address to which PROFILE=production sends data', () => {
  const addresses = variableNames().filter(
    name => name.endsWith('_URL') && !['DATABASE_URL', 'SMTP_URL', 'SMTP_FALLBACK_URL'].includes(name),
  )
  // A provider with an address but without its account would be another fault.
  const accounts = { UBA_MERCHANT: 'm', UBA_SECRET: 's', BACM_MERCHANT: 'm', BACM_SECRET: 's' }
  const pages = {
    UBA_URL: 'https://api.uba.example',
    UBA_PAGE_URL: 'https://cards.uba.example',
    BACM_URL: 'https://api.bacm.example',
    BACM_PAGE_URL: 'https://cards.bacm.example',
  }
  const withBanks = { ...production, ...accounts, ...pages, CINETPAY_KEY: 'k', CINETPAY_SITE: '1' }

  it.each(addresses)('%s is refused without https', name => {
    const faults = faultsOf({ ...withBanks, [name]: 'http://gateway.example/path' })
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatch(new RegExp(`${name}.* https address`))
  })

  it('may be on the same machine, and may have no TLS in the demo: SMS_URL', () => {
    for (const host of ['localhost', '127.0.0.1', '[::1]'])
      expect(faultsOf({ ...production, SMS_URL: `http://${host}:9000/send` })).toEqual([])
    expect(faultsOf({ SMS_URL: 'http://gateway.example/path' })).toEqual([])
  })

  it.each([
    ['smtp://mail.example:587', 'production', true],
    ['smtps://mail.example', 'production', true],
    ['smtp://127.0.0.1:25', 'production', false],
    ['smtp://[::1]:25', 'production', false],
    ['smtp://mail.example:587', 'demo', false],
  ])('by mail, %s in the profile %s, needs TLS: %s', (SMTP_URL, PROFILE, needsTls) => {
    const { mailServers } = configOf({ ...production, PROFILE, SMTP_URL, SMTP_FALLBACK_URL: SMTP_URL })
    expect(mailServers).toEqual([
      { url: SMTP_URL, needsTls },
      { url: SMTP_URL, needsTls },
    ])
  })
})

describe('TLS=on', () => {
  const phone = 'https://192.168.1.20:8080'

  it('lists every address of this machine as an origin, the network addresses before localhost (D65)', () => {
    const read = readConfig({ TLS: 'on' }, ['192.168.1.20', '2001:db8::20'])
    const own = ['https://localhost:8080', 'https://127.0.0.1:8080', 'https://[::1]:8080']
    expect(read).toMatchObject({
      kind: 'config',
      config: { tls: true, publicOrigin: phone, origins: [phone, 'https://[2001:db8::20]:8080', ...own] },
    })
  })

  it('uses localhost when this machine has no network address', () => {
    expect(configOf({ TLS: 'on' }).publicOrigin).toBe('https://localhost:8080')
  })

  it('accepts an https PUBLIC_ORIGIN and refuses an http one', () => {
    expect(configOf({ TLS: 'on', PUBLIC_ORIGIN: 'https://demo.example.cm' }).publicOrigin).toBe(
      'https://demo.example.cm',
    )
    expect(faultsOf({ TLS: 'on', PUBLIC_ORIGIN: 'http://localhost:8080' })).toEqual([
      'PUBLIC_ORIGIN must be an https address, or unset, when TLS is on (--tls).',
    ])
  })

  it('is refused in production with one line that names the proxy', () => {
    expect(faultsOf({ ...production, TLS: 'on' })).toEqual([
      'TLS must be off (start without --tls) with PROFILE=production: a proxy must serve https, see docs/deploy.md.',
    ])
  })

  it('is off by default: one origin, whatever addresses this machine has', () => {
    const read = readConfig({}, ['192.168.1.20'])
    expect(read).toMatchObject({ config: { tls: false, origins: ['http://localhost:8080'] } })
  })
})

describe('.env.example', () => {
  const lines = readFileSync(new URL('../../../.env.example', import.meta.url), 'utf8').split('\n')
  const listed = lines.flatMap(line => /^([A-Z_]+)=(.*)$/.exec(line)?.slice(1, 3) ?? [])
  const example = Object.fromEntries(
    listed.flatMap((name, index) => (index % 2 === 0 ? [[name, listed[index + 1] ?? '']] : [])),
  )

  it('lists every variable and no other', () => {
    expect(Object.keys(example).toSorted()).toEqual(variableNames().toSorted())
  })

  it('contains the default values', () => {
    expect(configOf(example)).toEqual(configOf({}))
  })
})
