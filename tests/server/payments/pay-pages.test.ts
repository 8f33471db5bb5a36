import { runInNewContext } from 'node:vm'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cardFields } from '#contract/payment.ts'
import { doNothing } from '#device/do-nothing.ts'
import { startAtProvider } from '#server/features/payments/provider-calls.ts'
import { paymentProviders } from '#server/features/payments/providers.ts'
import { readGatewayPage } from '#server/integrations/read-gateway-page.ts'
import { incidentOf } from '#server/http/request-id.ts'
import { bodyOf } from '#support/servers/api-client.ts'
import { isFullRun } from '#support/test-tier.ts'
import { hostileAddresses } from '#support/data/hostile-addresses.ts'
import { openPaymentFixture, type PaymentFixture, sendForm } from './payment-fixture.ts'

let fixture: PaymentFixture
beforeAll(async () => {
  fixture = await openPaymentFixture()
})
afterAll(() => fixture?.close())

const get = (url: string) => fixture.server.app.inject({ method: 'GET', url })

describe('the start of a card payment', () => {
  it('answers all fields of the form for CinetPay, and the address of the server’s page (PAY19, PAY21, S12)', async () => {
    const payer = await fixture.newPaymentApplicant('cinetpay')
    const answer = await payer.browser.call('startCardPayment', {
      query: { applicationId: payer.applicationId },
    })
    const body = answer.kind === 'ok' ? answer.body : undefined
    expect(Object.keys(body?.data ?? {}).toSorted()).toEqual([...cardFields].toSorted())
    const { order_id: order, id, return_id: returnId } = await payer.order()
    expect(returnId).not.toBe(id)
    expect(body).toMatchObject({
      status: 'Success',
      paymentId: id,
      page: expect.stringMatching(/^\/pay\/card\/[\w-]{32}$/),
      data: {
        cpm_trans_id: order,
        cpm_amount: '110000',
        return_url: `http://localhost:8080/pay/return/${returnId}`,
        notify_url: 'http://localhost:8080/hooks/payments/cinetpay',
      },
    })
  })

  it('pays by BACM when the body names it, and answers the page of the bank (S39)', async () => {
    const payer = await fixture.newPaymentApplicant('bacm')
    const query = { applicationId: payer.applicationId }
    const answer = await payer.browser.call('startCardPayment', { query, body: { method: 'BACM' } })
    expect(answer.kind === 'ok' && answer.body.data).toContain('<form name="pay" method="POST"')
    expect(await payer.order()).toMatchObject({ method: 'BACM', channel: 'Banque Atlantique' })
  })

  it('asks for a lost form again in the language of the application (D42, PAY32)', async () => {
    const payer = await fixture.newPaymentApplicant('cinetpay')
    const { db } = fixture.server.services
    await db
      .updateTable('application')
      .set({ language: 'en' })
      .where('id', '=', payer.applicationId)
      .execute()
    const askForLanguage = async () =>
      (await payer.askForCard()).form?.fields.find(({ name }) => name === 'cpm_language')?.value
    expect(await askForLanguage()).toBe('en')
    const { id } = await payer.order()
    await db.deleteFrom('card_page').where('payment_id', '=', id).execute()
    expect(await askForLanguage()).toBe('en')
  })

  it('ignores a return address from the client (D42)', { timeout: 180_000 }, async () => {
    // The daily run tests only a sample, which is always the same. The full run tests all.
    for (const returnUrl of hostileAddresses.filter((_, index) => isFullRun || index % 60 === 1)) {
      const payer = await fixture.newPaymentApplicant('cinetpay')
      const query = { applicationId: payer.applicationId }
      const { data } = bodyOf(await payer.browser.call('startCardPayment', { query, body: { returnUrl } }))
      if (typeof data === 'string') throw new Error('CinetPay gave a page')
      const { payment_url: _, ...fields } = data
      const sent = Object.entries(fields).filter(([name, address]) => name.endsWith('_url') && address !== '')
      const { return_id: returnId } = await payer.order()
      const own = ['/hooks/payments/cinetpay', `/pay/return/${returnId}`].map(
        path => `http://localhost:8080${path}`,
      )
      expect([...new Set(sent.map(([, address]) => address))].toSorted()).toEqual(own)
    }
  })

  it('stores an order that another method replaces when the payer abandoned the card page, but not when the payer used the page (D42)', async () => {
    const left = await fixture.newPaymentApplicant('uba')
    await left.askForCard()
    const phone = await fixture.newPaymentApplicant('mtn')
    const pay = (applicationId: typeof left.applicationId, browser: typeof left.browser) =>
      browser.call('startMobilePayment', { query: { applicationId, phone: phone.phone } })
    expect((await pay(left.applicationId, left.browser)).status).toBe(200)
    expect((await left.stored()).map(({ method, status }) => [method, status])).toEqual([
      ['MOBILE', 'IN_PROGRESS'],
      ['CARD_UBA', 'ERROR'],
    ])
    const used = await fixture.newPaymentApplicant('bacm')
    await used.pay()
    const answer = await pay(used.applicationId, used.browser)
    expect(answer.kind === 'ok' && answer.body.data.id).toBe((await used.order()).id)
    expect(await used.stored()).toHaveLength(1)
    const again = await used.askForCard()
    expect(again.status).toBe(409)
  })
})

describe('the server’s card page', () => {
  it('gives the form once, with no script but the server’s own, and a policy that allows forms only to the gateways (S12)', async () => {
    const { payer, page } = await openPage()
    expect((await fixture.server.app.inject({ method: 'HEAD', url: page })).statusCode).toBe(404)
    const answer = await get(page)
    const origin = new URL(formOf(answer.body).url).origin
    expect(answer.headers['content-security-policy']).toBe(
      `default-src 'none'; script-src 'self'; require-trusted-types-for 'script'; style-src 'self'; ` +
        `form-action ${origin}; base-uri 'none'; frame-ancestors 'none'`,
    )
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.headers['referrer-policy']).toBe('no-referrer')
    expect(answer.body.match(/<script[^>]*>/g)).toEqual([
      '<script src="/pay/card.js" defer>',
      '<script src="/pay/shared.js" defer>',
    ])
    expect(answer.body).not.toMatch(/onload|javascript:/i)
    expect(answer.body).toMatch(/^<!doctype html><html lang="en">/)
    expect(answer.body).not.toContain('Retour au portail')
    const { id } = await payer.order()
    const returnLink = new RegExp(
      `<a (?:class="button" )?href="/payResult/${payer.applicationId}/-/${id}">Back to the portal</a>`,
    )
    expect(answer.body).toMatch(returnLink)
    expect((await sendForm(formOf(answer.body))).status).toBe(200)
    expect(payer.simulator.payments.get((await payer.order()).order_id)?.status).toBe('pending')
    const second = await get(page)
    expect(second.statusCode).toBe(410)
    expect(second.body).not.toContain('type="hidden"')
    expect(second.body).toMatch(returnLink)
  })

  it('has a script that sends the form after one second (PAY20)', async () => {
    const script = await get('/pay/card.js')
    expect(script.headers['content-type']).toContain('text/javascript')
    const form = {}
    const [sent, waits]: [unknown[], number[]] = [[], []]
    runInNewContext(script.body, {
      document: { querySelector: () => form },
      HTMLFormElement: { prototype: { submit: { call: (each: unknown) => sent.push(each) } } },
      addEventListener: doNothing,
      setTimeout(act: () => void, delayMs: number) {
        waits.push(delayMs)
        act()
      },
    })
    expect([waits, sent]).toEqual([[1_000], [form]])
  })

  it('gives the form once to ten requests at the same moment (D96)', async () => {
    const { page } = await openPage('cinetpay')
    const answers = await Promise.all(Array.from({ length: 10 }, () => get(page)))
    const statuses = answers.map(({ statusCode }) => statusCode).toSorted((one, other) => one - other)
    expect(statuses).toEqual([200, ...Array.from({ length: 9 }, () => 410)])
  })

  it('is stored at most five times for one order, and the page of the last press of Pay opens', async () => {
    const payer = await fixture.newPaymentApplicant('uba')
    const pages: (string | undefined)[] = []
    for (let press = 0; press < 8; press += 1) pages.push((await payer.askForCard()).page)
    const { id } = await payer.order()
    const forms = await fixture.server.services.db
      .selectFrom('card_page')
      .select('form')
      .where('payment_id', '=', id)
      .execute()
    expect(forms).toHaveLength(5)
    expect((await get(pages.at(0) ?? '')).statusCode).toBe(410)
    expect((await get(pages.at(-1) ?? '')).statusCode).toBe(200)
  })

  it('gives no form after it has expired, nor for an unknown ticket', async () => {
    const { page } = await openPage('cinetpay')
    await fixture.server.services.db
      .updateTable('card_page')
      .set({ expires_at: new Date(0) })
      .execute()
    expect((await get(page)).statusCode).toBe(410)
    const unknown = await get(`/pay/card/${'x'.repeat(32)}`)
    expect(unknown.statusCode).toBe(410)
    expect(unknown.body).toContain('href="/procedure">Retour au portail</a>')
  })

  it('speaks the language that this browser has chosen when the ticket is unknown (PAY32)', async () => {
    const { body } = await fixture.server.app.inject({
      url: `/pay/card/${'x'.repeat(32)}`,
      cookies: { lg: 'en' },
    })
    expect(body).toContain('lang="en"')
    expect(body).toContain('href="/procedure">Back to the portal</a>')
  })
})

describe('a bank that refuses a repeated order', () => {
  it('leaves the payment open, so that a payment with the first form is found (D42)', async () => {
    const payer = await fixture.newPaymentApplicant('bacm')
    const { form } = await payer.askForCard()
    if (!form) throw new Error('The bank gave no form')
    const { id, order_id: order } = await payer.order()
    await fixture.server.services.db.deleteFrom('card_page').where('payment_id', '=', id).execute()
    payer.simulator.behaviour.start = 'refuses'
    expect((await payer.askForCard()).status).toBe(409)
    payer.simulator.behaviour.start = 'normal'
    await sendForm(form)
    payer.simulator.decide(order, 'success')
    // An order of an earlier release returns with the id of the payment.
    await get(`/pay/return/${id}`)
    await expect.poll(() => payer.status()).toBe('SUCCESS')
  })
})

describe('a first try that reaches the bank after the retry', () => {
  it('is refused by the bank as a repeat, and the payer’s payment is found (D42)', async () => {
    const payer = await fixture.newPaymentApplicant('bacm')
    // The retry; the payer uses its form.
    await payer.pay()
    const payment = await payer.order()
    const { services } = fixture.server
    const provider = paymentProviders(services).BACM
    if (!provider) throw new Error('There is no such bank')
    const firstTry = await startAtProvider(services, { provider, payment, language: 'fr', payer: undefined })
    expect(firstTry.kind).toBe('refused')
    payer.simulator.decide(payment.order_id, 'success')
    expect(await payer.passSeconds(90, async () => (await payer.status()) === 'SUCCESS')).toBeLessThan(90)
  })
})

describe('the return from a card page', () => {
  it.each(['GET', 'POST'] as const)(
    'starts a status query when it arrives by %s, and reveals no outcome (S40)',
    async method => {
      const payer = await fixture.newPaymentApplicant('uba')
      await payer.pay()
      const { id, order_id: order, return_id: returnId } = await payer.order()
      payer.simulator.decide(order, 'success')
      const answer = await fixture.server.app.inject({
        method,
        url: `/pay/return/${returnId}?status=REFUSED`,
        ...(method === 'POST'
          ? {
              payload: 'cpm_trans_id=other&cpm_result=600',
              headers: {
                'content-type': 'application/x-www-form-urlencoded',
                origin: 'https://bank.example',
              },
            }
          : {}),
      })
      expect(answer.statusCode).toBe(200)
      expect(answer.headers['cache-control']).toBe('no-store')
      expect(answer.body).toMatch(new RegExp(`href="/payResult/${payer.applicationId}/-/${id}"`))
      expect(answer.body).not.toMatch(/SUCCESS|REFUSED|\b600\b/)
      await expect.poll(() => payer.status()).toBe('SUCCESS')
    },
  )

  it('answers the same page for every unknown address, repeats no part of it and leads only to the portal (D42)', async () => {
    const seeds = [
      'https://evil.example',
      '//evil.example',
      'javascript:alert(1)',
      '<script>x</script>',
      '"onload="x',
    ]
    const plain = (await get('/pay/return')).body
    // Every seed with every number of slashes in both kinds of addresses.
    for (let index = 0; index < 70; index += 1) {
      const seed = seeds[index % seeds.length] ?? ''
      const sent = encodeURIComponent(`${seed}${'/'.repeat(index % 7)}`)
      const url = index % 2 === 0 ? `/pay/return/${sent}` : `/pay/return?return_url=${sent}&order=${sent}`
      const answer = await get(url)
      expect(answer.statusCode).toBe(200)
      expect(answer.headers['location']).toBeUndefined()
      expect(answer.body).toBe(plain)
    }
    expect(plain).toContain('href="/"')
    expect(plain.match(/href="[^"]*"/g)).toEqual(['href="/pay/page.css"', 'href="/"'])
  })

  it('shows no application number, because it needs no session (D97)', async () => {
    const payer = await fixture.newPaymentApplicant('uba')
    await payer.pay()
    const { number } = await fixture.server.services.db
      .selectFrom('application')
      .select('number')
      .where('id', '=', payer.applicationId)
      .executeTakeFirstOrThrow()
    const { return_id: id } = await payer.order()
    expect((await get(`/pay/return/${id}`)).body).not.toContain(number)
  })

  it('hides the ids of its link on a shared device only, with a script of this server (D31)', async () => {
    const payer = await fixture.newPaymentApplicant('uba')
    await payer.pay()
    const { body } = await get(`/pay/return/${(await payer.order()).return_id}`)
    expect(body.match(/<script[^>]*>/g)).toEqual([
      '<script src="/pay/shared.js" defer>',
      '<script src="/pay/return.js" defer>',
    ])
    const link = { href: '/payResult/a/b/c' }
    const script = (await get('/pay/shared.js')).body
    const runOn = (texts: Record<string, string>) =>
      runInNewContext(script, {
        localStorage: { getItem: (key: string) => texts[key] ?? null },
        document: { querySelectorAll: () => [link] },
      })
    runOn({})
    expect(link.href).toBe('/payResult/a/b/c')
    runOn({ 'device-use': 'shared' })
    expect(link.href).toBe('/cardPayment')
  })

  it('opens the result by itself after two seconds, only where this browser has a session (PAY32)', async () => {
    const script = (await get('/pay/return.js')).body
    const own = { session: '1' }
    const shared = { 'device-use': 'shared' }
    const waits = [
      openReturnPage(script, { device: own, tab: {} }),
      openReturnPage(script, { device: shared, tab: own }),
      openReturnPage(script, { device: {}, tab: {} }),
      // The flag of the whole device: on a shared device each tab has a flag and a session of its own.
      openReturnPage(script, { device: { ...shared, ...own }, tab: {} }),
    ]
    const opened = { waitMs: 2_000, opens: '/payResult/a/b/c', saysSo: true }
    const stays = { waitMs: undefined, opens: undefined, saysSo: false }
    expect(waits).toEqual([opened, opened, stays, stays])
  })

  it('is in the language of the application, as is the card page (PAY32)', async () => {
    const payer = await fixture.newPaymentApplicant('uba')
    await fixture.server.services.db
      .updateTable('application')
      .set({ language: 'fr' })
      .where('id', '=', payer.applicationId)
      .execute()
    const { page = '' } = await payer.askForCard()
    const { return_id: returnId } = await payer.order()
    for (const url of [page, page, `/pay/return/${returnId}`]) {
      const { body } = await get(url)
      expect(body).toMatch(/<html lang="fr">.*>(?:Retour au portail|Voir le paiement sur le portail)</)
      expect(body).not.toMatch(/Back|See the payment/)
    }
  })

  it('has the colours of the portal, and says on a demonstration server that it is a demonstration (NAV28, PAY32)', async () => {
    const { body } = await get('/pay/return')
    expect(body).toContain('<p>Démonstration sans valeur officielle</p>')
    expect((await get('/pay/page.css')).body).toContain('--band: #0b5a3c;')
  })

  it('has no script without a payment', async () => {
    expect((await get('/pay/return')).body).not.toContain('<script')
  })

  it('has its own style sheet and no inline style', async () => {
    const payer = await fixture.newPaymentApplicant('uba')
    const { page = '' } = await payer.askForCard()
    const { return_id: returnId } = await payer.order()
    for (const url of [page, page, `/pay/return/${returnId}`, '/pay/return']) {
      const { body } = await get(url)
      expect(body).toContain('<link rel="stylesheet" href="/pay/page.css">')
      expect(body).not.toMatch(/<style|\sstyle=/)
    }
    expect((await get('/pay/page.css')).headers['content-type']).toContain('text/css')
  })
})

describe('the return page or the card page when the server cannot build it', () => {
  it.each([
    { folder: '/pay/return/', table: 'payment', afterwards: 200 },
    { folder: '/pay/card/', table: 'card_page', afterwards: 410 },
  ])(
    'says in the payer’s language, at $folder, that no payment is lost, offers to try again, and has the code of the incident (PAY32, ERR30)',
    async ({ folder, table, afterwards }) => {
      const payer = await fixture.newPaymentApplicant('uba')
      await payer.pay()
      const id = folder === '/pay/return/' ? (await payer.order()).return_id : 'x'.repeat(32)
      const { db } = fixture.server.services
      const address = `${folder}${id}?cpm_result=600`
      await sql`alter table ${sql.table(table)} rename to away`.execute(db)
      const answer = await fixture.server.app.inject({ url: address, cookies: { lg: 'en' } })
      await sql`alter table away rename to ${sql.table(table)}`.execute(db)
      expect(answer.statusCode).toBe(500)
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
      expect(answer.headers['cache-control']).toBe('no-store')
      expect(answer.body).toContain('your payment is not lost')
      expect(answer.body).toContain(`href="${address}">Try again</a>`)
      expect(answer.body).toContain('href="/">Back to the portal</a>')
      const requestId = String(answer.headers['x-request-id'])
      expect(answer.body).toContain(`give the help desk this code: ${incidentOf(requestId)}</p>`)
      expect((await get(address)).statusCode).toBe(afterwards)
    },
  )
})

/** Reads the form of the server's page as a browser would send it. */
function formOf(html: string) {
  const form = readGatewayPage(html)
  if (!form) throw new Error('The page has no form')
  return form
}

async function openPage(name: 'cinetpay' | 'uba' = 'uba') {
  const payer = await fixture.newPaymentApplicant(name)
  const { page = '' } = await payer.askForCard()
  return { payer, page }
}

const storageOf = (texts: Record<string, string>) => ({ getItem: (key: string) => texts[key] ?? null })

/** Runs the script of the return page as a browser with these storages does. Returns what the script does. */
function openReturnPage(
  script: string,
  { device, tab }: { device: Record<string, string>; tab: Record<string, string> },
) {
  const hint = { hidden: true }
  const link = { href: '/payResult/a/b/c' }
  let opens: string | undefined
  let waitMs: number | undefined
  runInNewContext(script, {
    localStorage: storageOf(device),
    sessionStorage: storageOf(tab),
    document: { querySelector: (selector: string) => (selector === '[hidden]' ? hint : link) },
    location: { replace: (address: string) => (opens = address) },
    setTimeout(act: () => void, delayMs: number) {
      waitMs = delayMs
      act()
    },
  })
  return { waitMs, opens, saysSo: !hint.hidden }
}
