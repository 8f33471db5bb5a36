import http from 'node:http'
import { readBody, textOf } from './call.ts'
import type { CardOrder } from './payments.ts'

/** The bank's side of a card payment: takes the form and leads the payer back. */
export async function startCardGateway(onPaid: (orderId: string) => void) {
  const received: Record<string, unknown>[] = []
  const server = http.createServer((request, response) => {
    void (async () => {
      const fields = await readBody(request)
      received.push(fields)
      onPaid(textOf(fields['cpm_trans_id']) || textOf(fields['order.reference']))
      const returnUrl = textOf(fields['return_url']) || textOf(fields['interaction.returnUrl'])
      response.writeHead(303, { location: returnUrl }).end()
    })()
  })
  await new Promise<void>(resolve => server.listen(0, 'localhost', resolve))
  const address = server.address()
  const origin = `http://localhost:${typeof address === 'object' ? address?.port : ''}`
  return {
    origin,
    /** The fields of every form that a browser has sent, oldest first. */
    received,
    pageOf: (order: CardOrder) => cardPage(`${origin}/pay`, order),
    close: () => void server.close(),
  }
}

/**
 * The HTML in the answer to a card payment. By §7 and §4 of the specification this page replaces the page of the portal, and
 * its script sends the form after one second. The portal runs no script of the page: it only reads the form.
 */
function cardPage(action: string, order: CardOrder): string {
  const fields = Object.entries(order.method === 'CARD' ? hiddenPayload(order) : bankFields(order))
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${value.replaceAll('&', '&amp;')}"/>`)
    .join('\n')
  return `<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>Payment</title>
<style>body { font-family: sans-serif }</style>
<script>setTimeout(function () { document.getElementById('pay').submit() }, 1000)</script></head>
<body><p>Please wait&hellip;</p>
<form id="pay" name="pay" action="${action}" method="post">
${fields}
<noscript><input type="submit" value="Pay"/></noscript>
</form></body></html>`
}

/** The hidden form payload of §3 of the specification, without the address of the form. */
function hiddenPayload({ orderId, amount, currency, returnUrl }: CardOrder): Record<string, string> {
  return {
    signature: 'b64signature',
    cpm_trans_id: orderId,
    cpm_amount: String(amount),
    cpm_currency: currency,
    apikey: 'key',
    cpm_site_id: '1',
    cpm_trans_date: '2026-01-01 10:00:00',
    cpm_payment_config: 'SINGLE',
    cpm_page_action: 'PAYMENT',
    cpm_version: 'V1',
    cpm_language: 'fr',
    cpm_designation: 'Passeport',
    notify_url: '',
    return_url: returnUrl,
    cancel_url: returnUrl,
    refusal_url: returnUrl,
  }
}

/**
 * Another bank names its fields as it likes. The field `submit` hides the method `submit()` of the form, so the script
 * of this page cannot send it.
 */
function bankFields({ orderId, amount, currency, returnUrl }: CardOrder): Record<string, string> {
  return {
    'merchant[id]': 'PASSPORT',
    'order.reference': orderId,
    'order.amount': String(amount),
    'order.currency': currency,
    'interaction.returnUrl': returnUrl,
    submit: '1',
  }
}
