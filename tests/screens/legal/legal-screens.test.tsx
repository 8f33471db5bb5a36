// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { deviceUseStorageKey, type Language, languages } from '#contract/codes.ts'
import { keptDays, type KeptKind, keptWithoutEnd } from '#contract/retention.ts'
import { findSpokenTexts } from '#shell/read-aloud.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { textsOf } from '#support/data/texts.ts'

const issuer = { state: 'Pays', authority: 'Direction', address: '1, rue du Port', host: 'Hébergeur SA' }
const unnamed = { state: '', authority: '', address: '', host: '' }

const keptKinds = Object.keys(keptDays).filter((name): name is KeptKind => name in keptDays)

let portal: Portal
afterEach(() => portal.close())

describe.each(languages)('the legal pages, in %s', language => {
  const t = textsOf(language)

  it.each(['legal', 'accessibility', 'privacy'] as const)(
    'open from the footer of a sign-in page, and name the configured operator and help: %s (NAV27)',
    async name => {
      portal = await open(language, { issuer, isDemo: false })
      await portal.heading(t('mobile.heading'))
      document.querySelector<HTMLAnchorElement>(`footer a[href="/${name}"]`)?.click()
      await portal.heading(t(`${name}.heading`))
      await portal.see(() => expect(portal.main().textContent).toContain('Direction'))
      const text = portal.main().textContent ?? ''
      for (const part of ['Pays', '1, rue du Port', t('legal.host', { host: 'Hébergeur SA' })])
        expect(text).toContain(part)
      expect(text).not.toContain(t('legal.demo'))
      const links = [...portal.main().querySelectorAll('a')].map(link => link.getAttribute('href'))
      expect(links).toEqual(['tel:1500', 'mailto:help@example.cm', '/help'])
    },
  )

  it('say on /legal that operator and host are unknown when the server names neither (NAV27)', async () => {
    portal = await open(language, { issuer: unnamed, isDemo: false }, '/legal')
    await portal.heading(t('legal.heading'))
    await portal.see(() => expect(portal.main().textContent).toContain(t('legal.operatorUnknown')))
    const text = portal.main().textContent ?? ''
    expect(text).toContain(t('legal.hostUnknown'))
    expect(text).not.toContain(t('legal.demo'))
  })

  it('say on /legal of a demonstration only that it is one, because it has no authority (NAV27)', async () => {
    portal = await open(language, { issuer: unnamed, isDemo: true }, '/legal')
    await portal.heading(t('legal.heading'))
    await portal.see(() => expect(portal.main().textContent).toContain(t('legal.demo')))
    const text = portal.main().textContent ?? ''
    expect(text).not.toContain(t('legal.operatorUnknown'))
    expect(text).not.toContain(t('legal.hostUnknown'))
  })
})

/** `90 jours`, `1 an`. */
function showPeriod(days: number, language: Language): string {
  const [count, unit] = days % 365 === 0 ? [days / 365, 'year'] : [days, 'day']
  const words = { fr: { day: 'jour', year: 'an' }, en: { day: 'day', year: 'year' } }
  return `${count}\u00a0${words[language][unit === 'year' ? 'year' : 'day']}${count === 1 ? '' : 's'}`
}

describe.each(languages)('the privacy notice, in %s', language => {
  it('has each period of the table `keptDays`, each kind without a period, and no other (NAV34, D113)', async () => {
    const t = textsOf(language)
    portal = await open(language, { issuer, isDemo: false }, '/privacy')
    await portal.heading(t('privacy.heading'))
    const shown = [...portal.main().querySelectorAll('dl > div')].map(row => row.textContent ?? '')
    const expected = [
      ...keptKinds.map(kind => t(`privacy.kept.${kind}`) + showPeriod(keptDays[kind], language)),
      ...keptWithoutEnd.map(kind => t(`privacy.kept.${kind}`) + t(`privacy.noEnd.${kind}`)),
    ]
    expect(shown.toSorted()).toEqual(expected.toSorted())
  })

  it('has a period of the table read aloud, because every person may hear it (NAV30, NAV34)', async () => {
    const t = textsOf(language)
    portal = await open(language, { issuer, isDemo: false }, '/privacy')
    await portal.heading(t('privacy.heading'))
    expect(findSpokenTexts(portal.main())).toEqual(
      expect.arrayContaining([
        t('privacy.kept.unpaid'),
        showPeriod(keptDays.unpaid, language).replace('\u00a0', ' '),
      ]),
    )
  })
})

describe('the privacy notice', () => {
  it.each([
    [
      'fr',
      ['Vos réponses', 'numéro de téléphone', 'adresse e-mail', 'numéro qui paie', 'sont chiffrés'],
      'ne chiffre pas',
    ],
    [
      'en',
      ['Your answers', 'phone number', 'e-mail address', 'number that pays', 'are encrypted'],
      'not yet encrypt',
    ],
  ] as const)('says in %s what the database encrypts (NAV34, D71)', async (language, parts, denial) => {
    const t = textsOf(language)
    portal = await open(language, { issuer, isDemo: false }, '/privacy')
    await portal.heading(t('privacy.heading'))
    const text = portal.main().textContent ?? ''
    const [sentence = ''] = text.match(/[^.]*sur les serveurs\.|[^.]*on the servers\./) ?? []
    for (const part of parts) expect(sentence).toContain(part)
    expect(text).not.toContain(denial)
  })
})

describe('the strip at the top of the header (NAV28)', () => {
  const t = textsOf('fr')

  it.each([
    ['the state and the authority', { issuer, isDemo: false }, 'Pays · Direction'],
    ['one name without a separator', { issuer: { ...unnamed, state: 'Pays' }, isDemo: false }, 'Pays'],
    ['a demonstration instead of the names', { issuer, isDemo: true }, t('app.demo')],
    ['the neutral text without names', { issuer: unnamed, isDemo: false }, t('app.purpose')],
    ['the neutral text of another back end', {}, t('app.purpose')],
  ])('shows %s', async (_, facts, expected) => {
    portal = await open('fr', facts)
    await portal.see(() => expect(document.querySelector('footer')?.textContent).toContain('server-1'))
    expect(document.querySelector('header p')?.textContent).toBe(expected)
  })
})

describe('the emblem in the strip (NAV28)', () => {
  const emblem = 'data:image/svg+xml;base64,PHN2Zy8+'

  it.each([
    ['is before the names', false, [emblem]],
    ['is absent in a demonstration', true, []],
  ])('%s', async (_, isDemo, expected) => {
    portal = await open('fr', { issuer: { ...issuer, emblem }, isDemo })
    await portal.see(() => expect(document.querySelector('footer')?.textContent).toContain('server-1'))
    const images = [...document.querySelectorAll('header img')]
    expect(images.map(image => image.getAttribute('src'))).toEqual(expected)
    expect(images.map(image => image.getAttribute('alt'))).toEqual(expected.map(() => ''))
    expect(images.map(image => image.nextSibling?.textContent)).toEqual(
      expected.map(() => 'Pays · Direction'),
    )
  })
})

describe('the welcome page (NAV29)', () => {
  it.each(languages)('says the cost, the time and what to have at hand, in %s', async language => {
    const t = textsOf(language)
    portal = await open(language, { fee: { amount: 110_000, currency: 'XAF' } }, '/')
    await portal.heading(t('welcome.heading'))
    await portal.see(() => expect(portal.main().textContent).toMatch(/110.000/))
    const terms = [...portal.main().querySelectorAll('dt')].map(term => term.textContent)
    expect(terms).toEqual([t('welcome.cost'), t('welcome.time'), t('welcome.papers')])
    expect(portal.main().querySelectorAll('dt svg')).toHaveLength(3)
  })

  it.each(languages)(
    'says that applicants can take a break, but not on a kiosk, in %s (D38)',
    async language => {
      const t = textsOf(language)
      portal = await open(language, {}, '/')
      await portal.see(() => expect(portal.main().textContent).toContain(t('welcome.timeText')))
      await portal.close()
      portal = await openPortal({ path: '/', language, texts: { [deviceUseStorageKey]: 'kiosk:3' } })
      await portal.heading(t('welcome.heading'))
      const [, time] = portal.main().querySelectorAll('dd')
      expect(time?.textContent).toBe(t('welcome.timeAtKiosk'))
      expect(portal.main().textContent).not.toMatch(/\b(?:pause|break)\b/)
    },
  )
})

function open(language: 'fr' | 'en', facts: object, path = '/mobile'): Promise<Portal> {
  const help = { phone: '15 00', email: 'help@example.cm' }
  return openPortal({
    path,
    language,
    answer: ({ url }) =>
      url.includes('/version') ? { json: { data: { version: 'server-1', help, ...facts } } } : undefined,
  })
}
