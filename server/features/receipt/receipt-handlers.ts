import { destinationOf } from '#contract/states.ts'
import { findOwnApplication } from '#server/features/applications/own-application.ts'
import { createReceiptPrinter, type ReceiptOf } from './receipt-printer.ts'
import { readCaller } from '#server/features/session/access-token.ts'
import { isTicket, issueTicket, useTicket } from './receipt-tickets.ts'
import { type Handlers, type Refusal, refuse, type Transport } from '#server/calls/call.ts'
import { type AskerLimit, askerOf } from '#server/calls/asker-limit.ts'
import { createRateLimit } from '#server/calls/rate-limit.ts'
import type { Services } from '#server/calls/services.ts'

/** Limits the tickets of one applicant to as many as files (D97): each adds a row, which is kept for a day. */
const ticketRate = { burst: 20, perMinute: 10 }

/**
 * `getPdf` returns the receipt as a PDF for a call (API12). `postPdf` returns it for an HTML form, for browsers that cannot
 * save the response of a call; `receiptTicket` returns the ticket that this form sends (API13, S13).
 */
export function receiptHandlers(
  services: Services,
  limitFiles: AskerLimit,
): Pick<Handlers, 'getPdf' | 'postPdf' | 'receiptTicket'> {
  const print = createReceiptPrinter(services)
  const limitTickets = createRateLimit(services.clock, ticketRate)
  const { db } = services

  async function answer(of: ReceiptOf, transport: Transport, inline: boolean): Promise<Uint8Array | Refusal> {
    // The receipt exists while an appointment is booked and after the enrolment; not after a cancellation, a no-show or a
    // refusal.
    if (destinationOf(of.application.state) !== 'final') return refuse('wrong-state')
    const receipt = await print(db, of)
    if (receipt === undefined) return refuse('wrong-state')
    if (receipt === 'busy') return refuse('busy')
    transport.describeFile({ name: `${of.application.number}.pdf`, type: 'application/pdf', inline })
    return receipt
  }

  return {
    getPdf: ({ caller, params, query, transport }) =>
      limitFiles(askerOf(caller, transport), async () => {
        const application = await findOwnApplication(db, caller, params.id)
        if (application === undefined) return refuse('not-found')
        return answer({ application, language: query.lg ?? application.language }, transport, true)
      }),
    receiptTicket: ({ caller, params }) =>
      limitTickets(caller.applicantId, async () => {
        const application = await findOwnApplication(db, caller, params.id)
        if (application === undefined) return refuse('not-found')
        return { data: { ticket: await issueTicket(services, caller, application.id) } }
      }),
    /** The portal sends a ticket. A program of the specification may send its access token (S13). */
    async postPdf({ params, body, transport }) {
      const caller = isTicket(body.token)
        ? await useTicket(services, body.token, params.id)
        : await readCaller(services, body.token)
      if (caller === undefined) return refuse('not-signed-in')
      return limitFiles(askerOf(caller, transport), async () => {
        const application = params.file.endsWith('.pdf')
          ? await findOwnApplication(db, caller, params.id)
          : undefined
        if (application === undefined) return refuse('not-found')
        return answer({ application, language: application.language }, transport, false)
      })
    },
  }
}
