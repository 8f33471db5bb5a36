import { homeTimeZone, type Language } from '#contract/codes.ts'
import { walletName } from '#contract/wallet-name.ts'
import { showAmount } from '#server/features/receipt/receipt-content.ts'
import { type DrawnFile, drawPdf } from '#server/features/receipt/draw-pdf.ts'
import type { LabelledValue, PlainDocument } from '#server/features/receipt/receipt.ts'
import { rememberFormats } from '#server/i18n/intl-formats.ts'
import { translateTo } from '#server/i18n/translate.ts'
import type { Attempt } from './case-file.ts'

export type ProofFacts = {
  language: Language
  applicationNumber: string
  attempts: Attempt[]
  /** Contact of the help desk. */
  help: { phone: string; email: string }
  /** When the application was last changed. */
  changedAt: Date
}

/** Draws an application's case file as a PDF, the proof: every payment attempt with every change of its state (F1). */
export function printProof(facts: ProofFacts): Promise<DrawnFile> {
  return drawPdf(proofContent(facts))
}

function proofContent({ language, applicationNumber, attempts, help, changedAt }: ProofFacts): PlainDocument {
  const t = translateTo(language)
  return {
    language,
    title: t('proof.title'),
    applicationNumber,
    notice: t(attempts.length === 0 ? 'proof.none' : 'proof.notice'),
    unprintable: t('receipt.unprintable'),
    sections: attempts.map(attempt => ({
      heading: t('proof.attempt', { order: attempt.orderNumber }),
      rows: rowsOf(attempt, language),
    })),
    footer: t('receipt.footer', help),
    pageLabel: t('receipt.page', { page: '{page}', pages: '{pages}' }),
    // Not the current time: `drawPdf` draws only once while the content stays the same.
    issuedAt: lastChange(attempts) ?? changedAt,
  }
}

function lastChange(attempts: Attempt[]): Date | undefined {
  const latest = attempts
    .map(({ updatedAt }) => updatedAt)
    .toSorted()
    .at(-1)
  return latest === undefined ? undefined : new Date(latest)
}

function rowsOf(attempt: Attempt, language: Language): LabelledValue[] {
  const t = translateTo(language)
  const method = [t(`proof.methods.${attempt.methodType}`), walletName(attempt.method)]
    .filter(name => name !== '')
    .join(', ')
  const history = attempt.history.map(({ state, at }) => ({
    label: showInstant(at, language),
    value: t(`proof.states.${state}`),
  }))
  const rows = [
    { label: t('proof.fields.state'), value: t(`proof.states.${attempt.state}`) },
    { label: t('proof.fields.amount'), value: showAmount(attempt.amount, attempt.currency, language) },
    { label: t('proof.fields.method'), value: method },
    { label: t('proof.fields.operatorReference'), value: attempt.operatorReference },
    { label: t('proof.fields.createdAt'), value: showInstant(attempt.createdAt, language) },
    { label: t('proof.fields.updatedAt'), value: showInstant(attempt.updatedAt, language) },
    { label: t('proof.fields.next'), value: t(`proof.steps.${attempt.next}`) },
    ...history,
  ]
  return rows.filter(({ value }) => value !== '')
}

const instantFormat = rememberFormats(
  (language: Language) =>
    new Intl.DateTimeFormat(language === 'fr' ? 'fr-FR' : 'en-GB', {
      dateStyle: 'short',
      timeStyle: 'medium',
      timeZone: homeTimeZone,
    }),
)

function showInstant(at: string, language: Language): string {
  return instantFormat(language).format(new Date(at))
}
