// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest'
import { languages, publicInfoStorageKey } from '#contract/codes.ts'
import { formatAmount } from '#i18n/format.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { textsOf } from '#support/data/texts.ts'

let portal: Portal
afterEach(() => portal.close())

it.each(languages)('NAV26 the header leads to help, with contacts and the fee, in %s', async language => {
  portal = await openPortal({
    path: '/mobile',
    language,
    answer: ({ url }) =>
      url.includes('/version')
        ? {
            json: {
              data: {
                version: '1',
                help: { phone: '15 00', email: 'help@example.cm' },
                fee: { amount: 110_000, currency: 'XAF' },
              },
            },
          }
        : undefined,
  })
  const t = textsOf(language)
  await portal.heading(t('mobile.heading'))
  document.querySelector<HTMLAnchorElement>('header a[href="/help"]')?.click()
  await portal.heading(t('help.heading'))
  await portal.see(() => expect(linksOf(portal)).toEqual(['tel:1500', 'mailto:help@example.cm']))
  const text = portal.main().textContent ?? ''
  expect(text).toContain(t('help.fee', { amount: formatAmount(110_000, 'XAF', language) }))
  expect(portal.main().querySelectorAll('details')).toHaveLength(10)
})

it('NAV26 shows the hotline also where the server names no contacts', async () => {
  portal = await openPortal({ path: '/help', language: 'fr' })
  await portal.heading(textsOf('fr')('help.heading'))
  await seeServerInfo('answered')
  expect(linksOf(portal)).toEqual(['tel:1500'])
})

it('NAV26 shows contacts and fee of the last answer after a start without a connection', async () => {
  const t = textsOf('fr')
  const help = { phone: '15 00', email: 'help@example.cm' }
  const data = { version: '1', help, fee: { amount: 110_000, currency: 'XAF' } }
  portal = await openPortal({ path: '/help', answer: () => ({ json: { data } }) })
  await portal.see(() => expect(linksOf(portal)).toContain('mailto:help@example.cm'))
  const saved = portal.device.readText(publicInfoStorageKey) ?? ''
  await portal.close()
  portal = await openPortal({
    path: '/help',
    answer: () => 'no connection',
    texts: { [publicInfoStorageKey]: saved },
  })
  await portal.heading(t('help.heading'))
  await seeServerInfo('failed')
  expect(linksOf(portal)).toEqual(['tel:1500', 'mailto:help@example.cm'])
  const text = portal.main().textContent ?? ''
  expect(text).toContain(t('help.fee', { amount: formatAmount(110_000, 'XAF', 'fr') }))
})

const unreadable = ['', 'null', '5', '[]', '{"help":1']

it.each(unreadable)('NAV26 shows the hotline when the saved answer is not readable: %j', async saved => {
  const texts = { [publicInfoStorageKey]: saved }
  portal = await openPortal({ path: '/help', answer: () => 'no connection', texts })
  await portal.heading(textsOf('fr')('help.heading'))
  await seeServerInfo('failed')
  expect(linksOf(portal)).toEqual(['tel:1500'])
})

/** Waits until /version is answered or has failed, and the page shows what follows. */
function seeServerInfo(state: 'answered' | 'failed') {
  return portal.see(() => expect(portal.services.serverInfo.current().state).toBe(state))
}

function linksOf({ main }: Portal): (string | null)[] {
  return [...main().querySelectorAll('a')].map(link => link.getAttribute('href'))
}
