// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { newDraft } from '#store/draft.ts'
import { minorWithRepresentative } from '#support/data/applicants.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { listAnswers } from '#support/data/list-answers.ts'
import { textsOf } from '#support/data/texts.ts'

const t = textsOf('fr')
let portal: Portal
afterEach(() => portal.close())

/** Opens the portal, and saves a submitted draft. The server answers forms with 503 until `takesForms` is set. */
async function openWithUnsentDraft({ path, state }: { path: string; state: string }) {
  const server = { takesForms: false }
  portal = await openPortal({
    path,
    state,
    answer({ method, url }) {
      const { pathname } = new URL(url, 'http://portal.test')
      const isForm = method === 'POST' && pathname.endsWith('/app-1/data')
      if (isForm && !server.takesForms) return { status: 503, json: { statusCode: 503 } }
      const list = method === 'GET' ? listAnswers[pathname.replace('/api/v1', '')] : undefined
      return list === undefined ? undefined : { json: { data: list } }
    },
  })
  const draft = newDraft({ values: minorWithRepresentative, tab: 'NicData' })
  await portal.store.drafts.update('app-1', () => ({ ...draft, submitted: true }))
  return server
}

function postsTo(path: string) {
  return portal.requests.filter(({ method, url }) => method === 'POST' && url.includes(path))
}

async function press(label: string) {
  await portal.see(() => expect(portal.button(label).getAttribute('aria-disabled')).toBeNull())
  portal.button(label).click()
}

async function expectUnsentNotice() {
  await portal.see(() => expect(portal.notices.state().last?.message).toEqual({ key: 'notice.unsent' }))
}

describe('an unsent draft', () => {
  it('blocks a payment with a notice until the server has the draft (OFF08)', async () => {
    const server = await openWithUnsentDraft({ path: '/payment/app-1/PP-1', state: 'DATA_SAVED' })
    await portal.see(() => expect(portal.button(t('button.continue'))).toBeTruthy())
    await press(t('button.continue'))
    await expectUnsentNotice()
    expect(postsTo('/payments/')).toEqual([])

    server.takesForms = true
    await press(t('button.continue'))
    await portal.see(() => expect(postsTo('/payments/whitelist-payment-init')).toHaveLength(1))
    expect(postsTo('/app-1/data').at(-1)?.body).toMatchObject({ surname: minorWithRepresentative.surname })
  })

  it('blocks a booking with a notice until the server has the draft (OFF09)', async () => {
    const server = await openWithUnsentDraft({ path: '/appointment/app-1/PP-1', state: 'PAYMENT_DONE' })
    await portal.see(() => expect(portal.options('country')).toContain('Cameroun'))
    portal.answer('country', '1')
    await portal.see(() => expect(portal.main().textContent).toContain(t('appointment.generalQueue')))
    await press(t('button.confirm'))
    await expectUnsentNotice()
    expect(postsTo('/appointments')).toEqual([])

    server.takesForms = true
    await press(t('button.confirm'))
    await portal.see(() => expect(postsTo('/appointments')).toHaveLength(1))
  })
})
