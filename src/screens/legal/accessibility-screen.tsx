import { LegalPage } from './legal-page.tsx'

const sections = [
  ['accessibility.aim', 'accessibility.aim.text'],
  ['accessibility.tested', 'accessibility.tested.text'],
  ['accessibility.browsers', 'accessibility.browsers.text'],
  ['accessibility.limits', 'accessibility.limits.text'],
  ['accessibility.report', 'accessibility.report.text'],
] as const

/** The accessibility statement: what was tested and how, the known limits, and how to report a barrier (NAV27). */
export function AccessibilityScreen() {
  return <LegalPage heading="accessibility.heading" lead="accessibility.lead" sections={sections} />
}
