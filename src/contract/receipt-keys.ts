import type { ServerInfo } from './session.ts'

/** The feature of a server that gives the ticket with which the browser downloads a receipt (D5). */
export const receiptTicketFeature = 'receiptTicket'

/**
 * The keys with which receipts are checked, with spaces between them, as the device stores them; undefined when the answer of
 * the server has neither field.
 */
export function receiptKeysOf({
  receiptKey,
  receiptKeys,
}: Pick<ServerInfo, 'receiptKey' | 'receiptKeys'>): string | undefined {
  return receiptKeys?.join(' ') ?? receiptKey
}
