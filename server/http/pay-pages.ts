import type { FastifyInstance, FastifyReply } from 'fastify'
import { cardFormDelayMs, deviceUseStorageKey, languages } from '#contract/codes.ts'
import { cardPagePath, cardReturnPath } from '#contract/payment.ts'
import { cardGateways } from '#server/config/payment-config.ts'
import { isUuid } from '#server/features/applications/own-application.ts'
import { findTicketPayment, useCardForm } from '#server/features/payments/card-forms.ts'
import { askProviderNow } from '#server/features/payments/webhook.ts'
import type { GatewayForm, PaymentProviders } from '#server/integrations/payment-provider.ts'
import type { Services } from '#server/calls/services.ts'
import { type TextKey, type Translate, translateTo } from '#server/i18n/translate.ts'

const payPageStylePath = '/pay/page.css'
const cardScriptPath = '/pay/card.js'
const sharedScriptPath = '/pay/shared.js'
const sharedScriptTag = `<script src="${sharedScriptPath}" defer></script>`

/** The style of the pages, for phones too, in light and dark mode. */
const payPageStyle = `
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5; }
body { margin: 0; padding: 1rem; border-top: 0.5rem solid #0b5a3c; }
main { max-width: 36rem; margin: 0 auto; }
section + section { margin-top: 2rem; padding-top: 1rem; border-top: 1px solid; }
h1 { font-size: 1.25rem; }
a { color: inherit; display: inline-block; padding: 0.5rem 0; }
button, .button { font: inherit; font-weight: 600; min-height: 28px; padding: 0.5rem 1rem; border: 2px solid #0b5a3c;
  border-radius: 0.5rem; background: #0b5a3c; color: #fff; text-decoration: none; }
button:focus-visible, a:focus-visible { outline: 3px solid #1d70b8; outline-offset: 2px; }
`.trim()

/**
 * Sends the form of the card page after the delay of PAY20, unless the payer presses the button first. A field may have
 * the name `submit` and hide that method of its form.
 */
const cardScript = `
const form = document.querySelector('form')
const send = () => HTMLFormElement.prototype.submit.call(form)
const timer = form && setTimeout(send, ${cardFormDelayMs})
addEventListener('submit', () => clearTimeout(timer))
`.trim()

/**
 * On a shared device, replaces the links to a result by the portal's card page, which finds the payment of its tab. The
 * browser's history would keep the ids in the address of a result (D31).
 */
const sharedScript = `
if (localStorage.getItem('${deviceUseStorageKey}') !== null)
  for (const link of document.querySelectorAll('a[href^="/payResult/"]')) link.href = '/cardPayment'
`.trim()

/** The path, type and text of each file that the pages load. */
const files = [
  [payPageStylePath, 'text/css', payPageStyle],
  [cardScriptPath, 'text/javascript', cardScript],
  [sharedScriptPath, 'text/javascript', sharedScript],
] as const

/**
 * Mounts the server's own pages around a card payment. Their policy allows forms to the configured gateways only, and no
 * script but the one that sends the card form. They need no session, because the payer may come back in another browser.
 */
export function registerPayPages(
  app: FastifyInstance,
  services: Services,
  providers: PaymentProviders,
): void {
  const { config } = services
  const gateways = cardGateways(config.payments)
  const policy = payPagePolicy([...gateways, ...config.payments.cardOrigins])
  const send = (reply: FastifyReply, status: number, page: string) =>
    reply
      .code(status)
      .headers({ 'content-security-policy': policy, 'cache-control': 'no-store' })
      .type('text/html; charset=utf-8')
      .send(page)

  app.register(async pages => {
    // A gateway may redirect the payer with a POST of any content type: the server ignores the body.
    pages.removeAllContentTypeParsers()
    pages.addContentTypeParser('*', (_request, payload, done) => {
      payload.resume()
      done(null)
    })
    for (const [path, type, text] of files)
      pages.get(path, (_request, reply) =>
        reply.type(`${type}; charset=utf-8`).header('cache-control', 'no-cache').send(text),
      )
    pages.route<{ Params: { id?: string } }>({
      method: ['GET', 'POST'],
      url: `${cardReturnPath}/:id?`,
      async handler(request, reply) {
        const { id = '' } = request.params
        const found = await findResultPage(services, id)
        // No await: the page does not show the outcome.
        if (found)
          askProviderNow(services, providers, found.paymentId).catch((error: unknown) =>
            services.logger.error(
              { err: error },
              'The status query after a card payment failed. The reconciler repeats it.',
            ),
          )
        return send(reply, 200, returnPage(found?.address ?? '/'))
      },
    })
    pages.get<{ Params: { ticket: string } }>(
      `${cardPagePath}/:ticket`,
      // A HEAD request must not consume the ticket.
      { exposeHeadRoute: false },
      async (request, reply) => {
        const { ticket } = request.params
        const cardForm = await useCardForm(services.db, ticket)
        const allowed = cardForm && gateways.includes(new URL(cardForm.form.url).origin)
        const paymentId = cardForm?.paymentId ?? (await findTicketPayment(services.db, ticket)) ?? ''
        const address = (await findResultPage(services, paymentId))?.address ?? '/procedure'
        return allowed
          ? send(reply, 200, cardPage(cardForm.form, address))
          : send(reply, 410, gonePage(address))
      },
    )
  })
}

/** Returns the Content-Security-Policy of these pages; `formOrigins` are the allowed targets of a form. */
function payPagePolicy(formOrigins: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "require-trusted-types-for 'script'",
    "style-src 'self'",
    `form-action ${formOrigins.length > 0 ? formOrigins.join(' ') : "'none'"}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/**
 * Finds the path of the portal's result page, which checks the session. `id`: the return id of a payment, or its own id as
 * in the return addresses of earlier releases. Undefined when no payment has this id.
 */
async function findResultPage(
  { db }: Services,
  id: string,
): Promise<{ paymentId: string; address: string } | undefined> {
  if (!isUuid(id)) return undefined
  const found = await db
    .selectFrom('payment')
    .innerJoin('application', 'application.id', 'payment.application_id')
    .select(['payment.id as paymentId', 'application.id as application', 'application.number'])
    .where(payment => payment.or([payment('payment.return_id', '=', id), payment('payment.id', '=', id)]))
    .executeTakeFirst()
  if (!found) return undefined
  const { paymentId, application, number } = found
  return { paymentId, address: `/payResult/${application}/${number}/${paymentId}` }
}

function returnPage(address: string): string {
  return pageOf('payPage.returnTitle', (t, index) => [
    ...(index === 0 && address !== '/' ? [sharedScriptTag] : []),
    `<p>${escape(t('payPage.returnText'))}</p>`,
    `<p>${escape(t('payPage.returnApp'))}</p>`,
    `<p><a class="button" href="${escape(address)}">${escape(t('payPage.returnLink'))}</a></p>`,
  ])
}

function cardPage({ url, fields }: GatewayForm, returnUrl: string): string {
  const hidden = fields.map(
    ({ name, value }) => `<input type="hidden" name="${escape(name)}" value="${escape(value)}">`,
  )
  return pageOf('payPage.cardTitle', (t, index) => [
    ...(index === 0 ? [`<script src="${cardScriptPath}" defer></script>`, sharedScriptTag] : []),
    `<p>${escape(t('payPage.cardText', { gateway: new URL(url).host }))}</p>`,
    `<p>${escape(t('payPage.cardAutomatic'))}</p>`,
    `<form method="post" action="${escape(url)}" accept-charset="utf-8">${hidden.join('')}`,
    `<button type="submit"${index === 0 ? ' autofocus' : ''}>${escape(t('payPage.cardButton'))}</button></form>`,
    `<p><a href="${escape(returnUrl)}">${escape(t('payPage.portalLink'))}</a></p>`,
  ])
}

function gonePage(returnUrl: string): string {
  return pageOf('payPage.cardTitle', (t, index) => [
    ...(index === 0 ? [sharedScriptTag] : []),
    `<p>${escape(t('payPage.cardGone'))}</p>`,
    `<p><a href="${escape(returnUrl)}">${escape(t('payPage.portalLink'))}</a></p>`,
  ])
}

function pageOf(title: TextKey, body: (t: Translate, index: number) => string[]): string {
  const parts = languages.map((language, index) => {
    const t = translateTo(language)
    const lines = [`<h1>${escape(t(title))}</h1>`, ...body(t, index)]
    return `<section lang="${language}">${lines.join('')}</section>`
  })
  return [
    '<!doctype html><html lang="fr"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escape(languages.map(language => translateTo(language)(title)).join(' / '))}</title>`,
    `<link rel="stylesheet" href="${payPageStylePath}"></head>`,
    `<body><main>${parts.join('')}</main></body></html>`,
  ].join('')
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
