// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'

const t = textsOf('fr')
const confirm = 'POST /applications/app-1/confirmData'
let portal: Portal
afterEach(() => portal.close())

/** Opens the list, whose answer the device caches. The server gives no answer after `last`. */
async function openList(currentState: string, last: string, answers: Record<string, unknown>) {
  let isLost = false
  portal = await openPortal({
    path: '/procedure',
    answer({ url, method }) {
      if (isLost) return 'no connection'
      const { pathname } = new URL(url, 'http://portal.test')
      const name = `${method} ${pathname.replace('/api/v1', '')}`
      if (name === 'GET /applications')
        return {
          json: { data: [{ id: 'app-1', applicationNumber: 'PP-1', currentState, appointment: null }] },
        }
      if (name === last) isLost = true
      return name in answers ? { json: { data: answers[name] } } : undefined
    },
  })
  await portal.heading(t('procedure.heading'))
}

it('the payment opens after the confirmation of the data when the connection is lost just then, and not the form (CNF08, D37)', async () => {
  await openList('NEW', confirm, {
    'GET /applications/app-1/data': { ...toWire(firstPassport), additionalData: '', version: 1 },
    [confirm]: { version: 2, currentState: 'DATA_SAVED' },
  })
  await portal.router.navigate({ href: '/confirm/app-1/PP-1' })
  await portal.heading(t('confirm.heading'))
  await portal.see(() => portal.button(t('button.confirm')).click())
  await portal.seeAsTimePasses(() => expect(location.pathname).not.toBe('/confirm/app-1/PP-1'))
  expect(location.pathname).toBe('/payment/app-1/PP-1')
})
