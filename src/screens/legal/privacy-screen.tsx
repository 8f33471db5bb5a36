import { KeptPeriods } from './kept-periods.tsx'
import { LegalPage } from './legal-page.tsx'

// The texts name periods that the code sets: of the first two cookies in server/http/cookies.ts, of the language
// cookie in src/device/browser-device.ts, of locked answers in src/store/locked-drafts.ts, of the warnings before a deletion
// in server/features/deletion/deletion-plan.ts, of the deletion of an account in src/contract/retention.ts, of a dormant
// account in src/contract/dormant.ts.
const sections = [
  ['privacy.given', 'privacy.given.text'],
  ['privacy.purpose', 'privacy.purpose.text'],
  ['privacy.device', 'privacy.device.text'],
  ['privacy.cookies', 'privacy.cookies.text'],
  ['privacy.recipients', 'privacy.recipients.text'],
  ['privacy.periods', 'privacy.periods.text', <KeptPeriods key="periods" />],
  ['privacy.protection', 'privacy.protection.text'],
  ['privacy.rights', 'privacy.rights.text'],
] as const

/** The privacy notice: what is stored where and for how long, who gets it, and what the applicant can do (NAV27). */
export function PrivacyScreen() {
  return <LegalPage heading="privacy.heading" lead="privacy.lead" sections={sections} />
}
