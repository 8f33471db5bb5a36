import { useState } from 'react'
import { formatAmount } from '#i18n/format.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { PageLink } from '#app/page-link.tsx'
import { usePublicInfo, useServices } from '#app/services.ts'
import { useDeviceUse } from '#sign-in/shared-device-checkbox.tsx'
import { linkButtonClass } from '#ui/button.tsx'
import { Icon, type IconName } from '#ui/icon.tsx'
import { Page, Section } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import { useSnapshot } from '#ui/use-snapshot.ts'
import { MethodLink } from './method-link.tsx'
import styles from './welcome-screen.module.css'

/**
 * Two sign-in methods (NAV01), and the advice to use always the same number or address. A signed-in applicant sees a link to
 * the list of applications and is never redirected (S50).
 */
export function WelcomeScreen() {
  const t = useText()
  const page = t('welcome.heading')
  return (
    <Page heading={page} lead={t('welcome.lead')}>
      <title>{t('app.title', { page })}</title>
      <SignedIn />
      <Section heading={t('welcome.choose')}>
        <MethodLink to="/mobile" name={t('welcome.phone')} detail={t('welcome.phoneDetail')} />
        <MethodLink to="/mail" name={t('welcome.email')} detail={t('welcome.emailDetail')} />
        <Panel>{t('welcome.same')}</Panel>
      </Section>
      <BeforeStart />
      <p className="link-line">
        <PageLink to="/verify">{t('welcome.verify')}</PageLink>
      </p>
    </Page>
  )
}

/**
 * What it costs, how long it takes and what to have at hand (NAV29). Without a known fee the page says that the amount is shown
 * before the payment.
 */
function BeforeStart() {
  const t = useText()
  const language = useLanguage()
  const fee = usePublicInfo().fee
  // A kiosk logs out an applicant who takes a break (D38).
  const isKiosk = useDeviceUse().kind === 'kiosk'
  const cost = fee
    ? t('welcome.costText', { amount: formatAmount(fee.amount, fee.currency, language) })
    : t('welcome.costUnknown')
  return (
    <Section heading={t('welcome.before')}>
      <dl className={styles.list} data-listen>
        <Fact icon="coins" term={t('welcome.cost')} text={cost} />
        <Fact
          icon="clock"
          term={t('welcome.time')}
          text={t(isKiosk ? 'welcome.timeAtKiosk' : 'welcome.timeText')}
        />
        <Fact icon="papers" term={t('welcome.papers')} text={t('welcome.papersText')} />
      </dl>
    </Section>
  )
}

function Fact({ icon, term, text }: { icon: IconName; term: string; text: string }) {
  return (
    <div className={styles.fact}>
      <dt>
        <Icon name={icon} className={styles.icon} />
        {term}
      </dt>
      <dd>{text}</dd>
    </div>
  )
}

function SignedIn() {
  const t = useText()
  const { session } = useServices()
  // No guard of this page restores the session from the cookie, so `ready()` is called here.
  const [watch] = useState(() => (listener: () => void) => {
    void session.ready()
    return session.subscribe(listener)
  })
  const state = useSnapshot(watch, session.state)
  if (state.kind === 'signed-out') return null
  return (
    <Panel tone="success" announce heading={t('welcome.signedIn')}>
      <p>
        <PageLink to="/procedure" className={linkButtonClass()}>
          {t('welcome.toProcedure')}
        </PageLink>
      </p>
    </Panel>
  )
}
