import { homeTimeZone, type Language } from '#contract/codes.ts'
import { showAmount } from '#server/features/receipt-content.ts'
import { loadRenderer } from '#server/features/receipt-printer.ts'
import type { LabelledValue, Statement } from '#server/features/receipt/receipt.ts'
import { proofWords } from '#server/words/proof-words.ts'
import { receiptWords } from '#server/words/receipt-words.ts'
import type { Attempt } from './case-file.ts'

export type ProofFacts = {
  language: Language
  applicationNumber: string
  attempts: Attempt[]
  help: { phone: string; email: string }
  now: Date
}

/** The case file on paper, as a PDF: every attempt with every change of its state. */
export async function printProof(facts: ProofFacts): Promise<Uint8Array> {
  const render = await loadRenderer()
  return render(proofContent(facts))
}

export function proofContent({ language, applicationNumber, attempts, help, now }: ProofFacts): Statement {
  const words = proofWords[language]
  const { unprintable, footer, page } = receiptWords[language]
  return {
    language,
    title: words.title,
    applicationNumber,
    notice: attempts.length === 0 ? words.none : words.notice,
    unprintable,
    sections: attempts.map(attempt => ({
      heading: words.attempt(attempt.orderNumber),
      rows: rowsOf(attempt, language),
    })),
    footer: footer(help),
    pageLabel: page,
    issuedAt: now,
  }
}

function rowsOf(attempt: Attempt, language: Language): LabelledValue[] {
  const { fields, methods, states, steps } = proofWords[language]
  const method = [methods[attempt.methodType], attempt.method].filter(name => name !== '').join(', ')
  const changes = attempt.history.map(({ state, at }) => ({
    label: showInstant(at, language),
    value: states[state],
  }))
  const rows = [
    { label: fields.state, value: states[attempt.state] },
    { label: fields.amount, value: showAmount(attempt.amount, attempt.currency, language) },
    { label: fields.method, value: method },
    { label: fields.operatorReference, value: attempt.operatorReference },
    { label: fields.createdAt, value: showInstant(attempt.createdAt, language) },
    { label: fields.updatedAt, value: showInstant(attempt.updatedAt, language) },
    { label: fields.next, value: steps[attempt.next] },
    ...changes,
  ]
  return rows.filter(({ value }) => value !== '')
}

function showInstant(at: string, language: Language): string {
  const format = new Intl.DateTimeFormat(language === 'fr' ? 'fr-FR' : 'en-GB', {
    dateStyle: 'short',
    timeStyle: 'medium',
    timeZone: homeTimeZone,
  })
  return format.format(new Date(at))
}
