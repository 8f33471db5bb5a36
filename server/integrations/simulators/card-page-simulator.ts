import type { SimulatorResponse, SimulatedPayment } from './simulator.ts'

/** A card page without card fields: two buttons decide the payment and lead back to the portal. */
export function simulatedCardPage(
  gateway: string,
  { orderId, amount, currency }: SimulatedPayment,
): SimulatorResponse {
  return {
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: [
      `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escapeHtml(gateway)} simulator</title>`,
      `<h1>${escapeHtml(gateway)} (simulator)</h1><p>${escapeHtml(orderId)}: ${amount} ${escapeHtml(currency)}</p>`,
      `<form method="post" action="decide"><input type="hidden" name="order" value="${escapeHtml(orderId)}">`,
      `<button name="outcome" value="success">Pay</button> <button name="outcome" value="failed">Refuse</button></form></html>`,
    ].join(''),
  }
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
