import { LegalPage } from './legal-page.tsx'

const sections = [
  ['legal.service', 'legal.service.text'],
  ['legal.receipt', 'legal.receipt.text'],
  ['legal.sources', 'legal.sources.text'],
  ['legal.faults', 'legal.faults.text'],
] as const

/** The legal notice: who runs the service, what it does, where its lists come from (NAV27). */
export function LegalScreen() {
  return <LegalPage heading="legal.heading" lead="legal.lead" sections={sections} />
}
