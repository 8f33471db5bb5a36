import { LegalPage } from './legal-page.tsx'

const sections = [
  ['legal.service', 'legal.service.text'],
  ['legal.receipt', 'legal.receipt.text'],
  ['legal.sources', 'legal.sources.text'],
  ['legal.report', 'legal.report.text'],
] as const

/**
 * The legal notice: what the service does, what the receipt is, where the lists of places and countries come from, how to
 * report a security problem. `LegalPage` adds who runs the service and how to reach help (NAV27).
 */
export function LegalScreen() {
  return <LegalPage heading="legal.heading" lead="legal.lead" sections={sections} />
}
