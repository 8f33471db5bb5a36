import { generateKeyPairSync } from 'node:crypto'
import type { FormValues } from '#contract/application.ts'
import { type Language, languages } from '#contract/codes.ts'
import type { ReceiptFields } from '#contract/receipt-code.ts'
import type { Receipt } from '#server/features/receipt/receipt.ts'
import { receiptContent } from '#server/features/receipt/receipt-content.ts'
import { loadRenderer } from '#server/features/receipt/load-renderer.ts'
import { signReceipt, verifyAddress } from '#server/features/receipt/qr-signature.ts'
import * as applicants from './applicants.ts'

export type GoldenReceipt = { name: string; form: FormValues; language: Language; startsAt: string | null }

const people = Object.entries(applicants).filter(
  (entry): entry is [string, FormValues] => typeof entry[1] === 'object' && 'surname' in entry[1],
)

/** Each golden applicant in both languages; every second applicant is in the general queue. */
export const goldenReceipts: GoldenReceipt[] = people.flatMap(([name, form], index) =>
  languages.map(language => ({
    name,
    form,
    language,
    startsAt: index % 2 === 0 ? '2026-12-01T09:30:00' : null,
  })),
)

const receiptKeys = generateKeyPairSync('ed25519')

/** Renders the receipt as the server does, without a database. */
export async function renderGolden(golden: GoldenReceipt): Promise<Uint8Array> {
  const render = await loadRenderer()
  return render(
    goldenContent(golden, fields =>
      verifyAddress('https://portail.exemple.cm', signReceipt(fields, receiptKeys.privateKey)),
    ),
  )
}

export function goldenContent(
  { form, language, startsAt }: GoldenReceipt,
  sign: (fields: ReceiptFields) => string,
): Receipt {
  return receiptContent(
    {
      language,
      applicationNumber: 'PP-2026-000042-9',
      form,
      appointment: {
        office: 'Centre national de production des passeports (CNPP)',
        countryId: '10998',
        country: 'Cameroun',
        city: 'Yaoundé',
        address: 'Etoudi (Tongolo), près de la mairie de Yaoundé Ier, Yaoundé',
        startsAt,
      },
      payment: { status: 'SUCCESS', amount: 110_000, currency: 'XAF', orderId: 'PAY-2026-0000042' },
      help: { phone: '1500', email: 'contact@passcam.cm' },
      issuedAt: new Date('2026-11-21T10:00:00Z'),
      today: '2026-11-21',
    },
    sign,
  )
}
