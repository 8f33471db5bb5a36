import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Language } from '#contract/codes.ts'
import { placeholderNumber } from '#contract/id-text.ts'
import { problems } from '#contract/problems.ts'
import { cardPagePath, cardReturnPath } from '#contract/payment.ts'
import type { Configuration } from '#server/config/config.ts'
import { cardGateways } from '#server/config/payment-config.ts'
import { isUuid } from '#server/features/applications/own-application.ts'
import { findTicketPayment, useCardForm } from '#server/features/payments/card-forms.ts'
import { queryProviderNow } from '#server/features/payments/webhook.ts'
import type { GatewayForm, PaymentProviders } from '#server/integrations/payment-provider.ts'
import type { Refusal } from '#server/calls/call.ts'
import type { Services } from '#server/calls/services.ts'
import { type TextKey, type Translate, translateTo } from '#server/i18n/translate.ts'
import { addRetryAfter, incidentIn, refusalFor } from './failures.ts'
import { type LoadShedding, shedLoad } from './load-shedding.ts'
import { languageAskedFor } from './prerendered-pages.ts'
import {
  cardScriptPath,
  payPageFiles,
  payPageStylePath,
  returnScriptPath,
  sharedScriptPath,
} from './pay-page-files.ts'

const sharedScriptTag = `<script src="${sharedScriptPath}" defer></script>`

/** The logo of the portal, as in src/ui/brand-mark.tsx. */
const logo = [
  '<svg viewBox="0 0 40 48" aria-hidden="true" focusable="false">',
  '<path d="M6.5 1.5H32a6.5 6.5 0 0 1 6.5 6.5v32a6.5 6.5 0 0 1-6.5 6.5H6.5a5 5 0 0 1-5-5v-35a5 5 0 0 1 5-5zM8.5 2v44"/>',
  '<path d="M23 10c3.3 2.6 6.2 3.3 9.5 3.5V21c0 6.2-3.7 10-9.5 12.5-5.8-2.5-9.5-6.3-9.5-12.5v-7.5c3.3-.2 6.2-.9 9.5-3.5z"/>',
  '<path d="M18.6 21.5l3.3 3.4 5.7-6.5M17 40h12"/></svg>',
].join('')

/**
 * Mounts the server's own pages around a card payment. Their policy allows forms only to the configured gateways and to
 * `cardOrigins`, to which a gateway may redirect the form, and no script but the server's own. They need no session, because
 * the payer may come back in another browser. So anybody can ask for them, and a busy process refuses them as it refuses reads
 * (D92).
 */
export function registerPayPages(
  app: FastifyInstance,
  services: Services,
  { providers, shedding }: { providers: PaymentProviders; shedding: LoadShedding | undefined },
): void {
  const { config } = services
  const gateways = cardGateways(config.payments)
  const send = sendUnder(payPagePolicy([...gateways, ...config.payments.cardOrigins]))

  app.register(async pages => {
    // A gateway may redirect the payer with a POST of any content type: the server ignores the body.
    pages.removeAllContentTypeParsers()
    pages.addContentTypeParser('*', (_request, payload, done) => {
      payload.resume()
      done(null)
    })
    answerFailedPages(pages, services, send)
    if (shedding) shedLoad(pages, shedding, refuseAsPage(services, send))
    sendFiles(pages)
    pages.route<{ Params: { id?: string } }>({
      method: ['GET', 'POST'],
      url: `${cardReturnPath}/:id?`,
      config: { priority: 'read' },
      async handler(request, reply) {
        const { id = '' } = request.params
        const found = await findResultPage(services, id)
        // No await: the page does not show the outcome.
        if (found)
          queryProviderNow(services, providers, found.paymentId).catch((error: unknown) =>
            services.logger.error(
              { err: error },
              'After a card payment, the query of its status failed. The reconciler repeats the query.',
            ),
          )
        const context = { config, language: found?.language ?? languageAskedFor(request) }
        return send(reply, 200, returnPage(context, found?.address))
      },
    })
    pages.get<{ Params: { ticket: string } }>(
      `${cardPagePath}/:ticket`,
      // A HEAD request must not consume the ticket.
      { exposeHeadRoute: false, config: { priority: 'read' } },
      async (request, reply) => {
        const { ticket } = request.params
        const cardForm = await useCardForm(services.db, ticket)
        const allowed = cardForm && gateways.includes(new URL(cardForm.form.url).origin)
        const paymentId = cardForm?.paymentId ?? (await findTicketPayment(services.db, ticket)) ?? ''
        const found = await findResultPage(services, paymentId)
        const context = { config, language: found?.language ?? languageAskedFor(request) }
        const address = found?.address ?? '/procedure'
        return allowed
          ? send(reply, 200, cardPage(context, cardForm.form, address))
          : send(reply, 410, gonePage(context, address))
      },
    )
  })
}

type SendPage = (reply: FastifyReply, status: number, page: string) => FastifyReply

/** Returns a function that sends a page with this Content-Security-Policy. */
function sendUnder(policy: string): SendPage {
  return (reply, status, page) =>
    reply
      .code(status)
      .headers({ 'content-security-policy': policy, 'cache-control': 'no-store' })
      .type('text/html; charset=utf-8')
      .send(page)
}

/** A payer who comes back from a bank must not see the JSON that a script would get. */
function answerFailedPages(pages: FastifyInstance, services: Services, send: SendPage): void {
  const refuse = refuseAsPage(services, send)
  pages.setErrorHandler((error: FastifyError, request, reply) =>
    refuse(request, reply, refusalFor(error, request, services.logger)),
  )
}

function refuseAsPage({ config }: Services, send: SendPage) {
  return (request: FastifyRequest, reply: FastifyReply, refusal: Refusal) => {
    addRetryAfter(reply, refusal)
    const context = { config, language: languageAskedFor(request) }
    return send(reply, problems[refusal.refused].http, failedPage(context, request.url, incidentIn(refusal)))
  }
}

function sendFiles(pages: FastifyInstance): void {
  for (const [path, type, text] of payPageFiles)
    pages.get(path, (_request, reply) =>
      reply.type(`${type}; charset=utf-8`).header('cache-control', 'no-cache').send(text),
    )
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
 * Finds the path of the portal's result page. That page checks the session and then finds the application number.
 * `id`: the return id of a payment; or the payment's own id, from a ticket of the card page or a return address of an
 * earlier release. Undefined when no payment has this id.
 */
async function findResultPage(
  { db }: Services,
  id: string,
): Promise<{ paymentId: string; address: string; language: Language } | undefined> {
  if (!isUuid(id)) return undefined
  const found = await db
    .selectFrom('payment')
    .innerJoin('application', 'application.id', 'payment.application_id')
    .select(['payment.id as paymentId', 'application.id as application', 'application.language'])
    .where(payment => payment.or([payment('payment.return_id', '=', id), payment('payment.id', '=', id)]))
    .executeTakeFirst()
  if (!found) return undefined
  const { paymentId, application, language } = found
  return { paymentId, address: `/payResult/${application}/${placeholderNumber}/${paymentId}`, language }
}

/**
 * `language`: of the application, or of the request when the payment is unknown. `config`: for the strip of the issuer.
 */
type PageContext = { config: Pick<Configuration, 'issuer' | 'profile'>; language: Language }

/** `address`: undefined without a payment. Then the page stays, and its link opens the portal. */
function returnPage(context: PageContext, address: string | undefined): string {
  return pageOf(context, 'payPage.returnTitle', t => [
    ...(address === undefined ? [] : [sharedScriptTag, `<script src="${returnScriptPath}" defer></script>`]),
    `<p>${escape(t('payPage.returnText'))}</p>`,
    `<p hidden>${escape(t('payPage.returnAutomatic'))}</p>`,
    `<p><a class="button" href="${escape(address ?? '/')}">${escape(t('payPage.returnLink'))}</a></p>`,
    `<p>${escape(t('payPage.returnApp'))}</p>`,
  ])
}

function cardPage(context: PageContext, { url, fields }: GatewayForm, returnUrl: string): string {
  const hidden = fields.map(
    ({ name, value }) => `<input type="hidden" name="${escape(name)}" value="${escape(value)}">`,
  )
  return pageOf(context, 'payPage.cardTitle', t => [
    `<script src="${cardScriptPath}" defer></script>`,
    sharedScriptTag,
    `<p>${escape(t('payPage.cardText', { gateway: new URL(url).host }))}</p>`,
    `<p>${escape(t('payPage.cardAutomatic'))}</p>`,
    `<form method="post" action="${escape(url)}" accept-charset="utf-8">${hidden.join('')}`,
    `<button type="submit" autofocus>${escape(t('payPage.cardButton'))}</button></form>`,
    `<p><a href="${escape(returnUrl)}">${escape(t('payPage.portalLink'))}</a></p>`,
  ])
}

function gonePage(context: PageContext, returnUrl: string): string {
  return pageOf(context, 'payPage.cardTitle', t => [
    sharedScriptTag,
    `<p>${escape(t('payPage.cardGone'))}</p>`,
    `<p><a class="button" href="${escape(returnUrl)}">${escape(t('payPage.portalLink'))}</a></p>`,
  ])
}

/** `address`: of the request; the link opens it again by GET. `incident`: the code of an unexpected failure (ERR30). */
function failedPage(context: PageContext, address: string, incident: string | undefined): string {
  return pageOf(context, 'payPage.failedTitle', t => [
    `<p>${escape(t('payPage.failedText'))}</p>`,
    ...(incident === undefined ? [] : [`<p>${escape(t('payPage.failedIncident', { incident }))}</p>`]),
    `<p><a class="button" href="${escape(address)}">${escape(t('payPage.failedLink'))}</a></p>`,
    `<p><a href="/">${escape(t('payPage.portalLink'))}</a></p>`,
  ])
}

function pageOf({ config, language }: PageContext, title: TextKey, body: (t: Translate) => string[]): string {
  const t = translateTo(language)
  return [
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escape(t(title))}</title>`,
    `<link rel="stylesheet" href="${payPageStylePath}"></head>`,
    `<body><p>${escape(issuerText(config, t))}</p>`,
    `<header>${logo}<span>${escape(t('payPage.portalName'))}</span></header>`,
    `<main><h1>${escape(t(title))}</h1>${body(t).join('')}</main></body></html>`,
  ].join('')
}

/** The same text as in the strip of the portal (src/shell/portal-header.tsx, NAV28). */
function issuerText({ issuer, profile }: PageContext['config'], t: Translate): string {
  if (profile === 'demo') return t('payPage.demo')
  const names = [issuer.state, issuer.authority].filter(name => name !== '')
  return names.length > 0 ? names.join(' · ') : t('payPage.purpose')
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
