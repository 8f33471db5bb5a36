import { helpPhone } from '#contract/codes.ts'
import type { PublicInfo } from '#contract/session.ts'
import type { MessageKey } from '#i18n/intl.ts'
import { formatAmount } from '#i18n/format.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { usePublicInfo } from '#app/services.ts'
import { ContactLinks } from '#ui/contact-links.tsx'
import { Disclosure } from '#ui/disclosure.tsx'
import { Page, Section } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'

/** The order of the questions on the page: those that most applicants are expected to have come first. */
const questions = [
  'code',
  'notFound',
  'notRecorded',
  'paidTwice',
  'paidNotBooked',
  'noDates',
  'change',
  'papers',
  'deleted',
  'fakeSites',
] as const

/**
 * Contacts, the fee and the answers to frequent questions; the page needs no session (NAV26). Without a connection, shows
 * the contacts and the fee of the server's last answer that this device has saved.
 */
export function HelpScreen() {
  const t = useText()
  const page = t('help.heading')
  const info = usePublicInfo()
  return (
    <Page heading={page} lead={t('help.lead')}>
      <title>{t('app.title', { page })}</title>
      <Contacts help={info.help} />
      <Fee fee={info.fee} />
      <Section headingId="questions-heading" heading={t('help.questions')}>
        {questions.map(name => (
          <Disclosure
            key={name}
            summary={<span data-listen>{t(`help.${name}.question` satisfies MessageKey)}</span>}
          >
            <p data-listen>{t(`help.${name}.answer` satisfies MessageKey)}</p>
          </Disclosure>
        ))}
      </Section>
    </Page>
  )
}

/**
 * Shows only the hotline `helpPhone` when the server names no contacts, and before its first answer if this device has
 * saved none.
 */
function Contacts({ help }: { help: PublicInfo['help'] }) {
  const t = useText()
  const { phone, email } = help ?? { phone: helpPhone, email: undefined }
  return (
    <Panel heading={t('help.contacts')}>
      <ContactLinks
        phone={phone}
        callText={t('help.call', { phone })}
        mail={email === undefined ? undefined : { address: email, text: t('help.write', { email }) }}
      />
      <p>{t('help.neverAsked')}</p>
    </Panel>
  )
}

function Fee({ fee }: { fee: PublicInfo['fee'] }) {
  const t = useText()
  const language = useLanguage()
  if (fee === undefined) return null
  return <p>{t('help.fee', { amount: formatAmount(fee.amount, fee.currency, language) })}</p>
}
