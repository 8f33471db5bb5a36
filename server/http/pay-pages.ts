import type { FastifyInstance, FastifyReply } from 'fastify'
import { languages } from '#contract/codes.ts'
import { cardPagePath, cardReturnPath } from '#contract/payment.ts'
import { cardGateways } from '#server/config/payment-config.ts'
import { isUuid } from '#server/features/applications/own-application.ts'
import { findTicketPayment, useCardForm } from '#server/features/payments/card-forms.ts'
import { askProviderNow } from '#server/features/payments/webhook.ts'
import type { GatewayForm, PaymentProviders } from '#server/integrations/payment-provider.ts'
import type { Services } from '#server/calls/services.ts'
import { type TextKey, type Translate, translateTo } from '#server/i18n/translate.ts'
import { payPageStyle, payPageStylePath } from './pay-page-style.ts'

/**
 * The server's own pages around a card payment: no script at all, and a policy that lets a form go to the configured
 * gateways alone. Neither needs a session: the browser that comes back may be another than the one that left.
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
    // A gateway may bring the payer back with a POST of whatever it likes: nothing of it is read.
    pages.removeAllContentTypeParsers()
    pages.addContentTypeParser('*', (_request, payload, done) => {
      payload.resume()
      done(null)
    })
    pages.get(payPageStylePath, (_request, reply) =>
      reply.type('text/css; charset=utf-8').header('cache-control', 'no-cache').send(payPageStyle),
    )
    pages.route<{ Params: { id?: string } }>({
      method: ['GET', 'POST'],
      url: `${cardReturnPath}/:id?`,
      async handler(request, reply) {
        const { id = '' } = request.params
        const address = await findResultPage(services, id)
        // Not waited for: the page says nothing of the outcome.
        if (address !== undefined)
          askProviderNow(services, providers, id).catch((error: unknown) =>
            services.logger.error({ err: error }, 'A payment was not asked about'),
          )
        return send(reply, 200, returnPage(address ?? '/'))
      },
    })
    pages.get<{ Params: { ticket: string } }>(
      `${cardPagePath}/:ticket`,
      // A HEAD request must not use the ticket up.
      { exposeHeadRoute: false },
      async (request, reply) => {
        const { ticket } = request.params
        const cardForm = await useCardForm(services.db, ticket)
        const allowed = cardForm && gateways.includes(new URL(cardForm.form.url).origin)
        const paymentId = cardForm?.paymentId ?? (await findTicketPayment(services.db, ticket)) ?? ''
        const address = (await findResultPage(services, paymentId)) ?? '/procedure'
        return allowed
          ? send(reply, 200, cardPage(cardForm.form, address))
          : send(reply, 410, gonePage(address))
      },
    )
  })
}

export function payPagePolicy(formOrigins: readonly string[]): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    `form-action ${formOrigins.length > 0 ? formOrigins.join(' ') : "'none'"}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** The portal's own page for the payment; there the session decides who sees it. */
async function findResultPage({ db }: Services, id: string): Promise<string | undefined> {
  if (!isUuid(id)) return undefined
  const found = await db
    .selectFrom('payment')
    .innerJoin('application', 'application.id', 'payment.application_id')
    .select(['application.id as application', 'application.number'])
    .where('payment.id', '=', id)
    .executeTakeFirst()
  return found && `/payResult/${found.application}/${found.number}/${id}`
}

function returnPage(address: string): string {
  return pageOf('payPage.returnTitle', t => [
    `<p>${escape(t('payPage.returnText'))}</p>`,
    `<p>${escape(t('payPage.returnApp'))}</p>`,
    `<p><a class="button" href="${escape(address)}">${escape(t('payPage.returnLink'))}</a></p>`,
  ])
}

function cardPage({ url, fields }: GatewayForm, wayBack: string): string {
  const hidden = fields.map(
    ({ name, value }) => `<input type="hidden" name="${escape(name)}" value="${escape(value)}">`,
  )
  return pageOf('payPage.cardTitle', (t, index) => [
    `<p>${escape(t('payPage.cardText', { gateway: new URL(url).host }))}</p>`,
    `<form method="post" action="${escape(url)}" accept-charset="utf-8">${hidden.join('')}`,
    `<button type="submit"${index === 0 ? ' autofocus' : ''}>${escape(t('payPage.cardButton'))}</button></form>`,
    `<p><a href="${escape(wayBack)}">${escape(t('payPage.portalLink'))}</a></p>`,
  ])
}

function gonePage(wayBack: string): string {
  return pageOf('payPage.cardTitle', t => [
    `<p>${escape(t('payPage.cardGone'))}</p>`,
    `<p><a href="${escape(wayBack)}">${escape(t('payPage.portalLink'))}</a></p>`,
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
