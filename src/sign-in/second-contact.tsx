import { useState } from 'react'
import { otherKind } from '#contract/account.ts'
import { loadWithRetry } from '#device/load-with-retry.ts'
import { useText } from '#i18n/intl.ts'
import { useServerInfo, useServices } from '#app/services.ts'
import { Button } from '#ui/button.tsx'
import { focusHeading } from '#ui/page.tsx'
import { useBusy } from '#ui/use-busy.ts'
import { findOwnContact } from './own-contact.ts'
import { requireOnline } from './use-code-request.ts'
import styles from './second-contact.module.css'

type SecondContactProps = { msisdn: string | null; email: string | null; onAdded?: () => void }

type Steps = typeof import('./second-contact-steps.tsx')

/**
 * Offers to add a second contact, so that the applicant can sign in with either. Absent when both contacts exist, or when
 * the server does not have the feature `contacts`.
 */
export function SecondContact({ msisdn, email, onAdded }: SecondContactProps) {
  const t = useText()
  const services = useServices()
  const server = useServerInfo()
  const { busy, runOnce } = useBusy()
  const [steps, setSteps] = useState<Steps>()
  const own = findOwnContact({ msisdn, email })
  if (!own || (msisdn && email) || !server.value?.features.includes('contacts')) return null

  // Adding a contact needs a connection, so its steps load when the applicant begins.
  async function begin() {
    if (!requireOnline(services)) return
    const loaded = await loadWithRetry(() => import('./second-contact-steps.tsx')).catch(() => undefined)
    if (loaded) setSteps(loaded)
    else services.notices.raise('warning', { key: 'notice.generic' })
  }
  // The form with the focus disappears.
  const close = () => (setSteps(undefined), focusHeading())
  return (
    <section className={styles.second} aria-labelledby="second-contact">
      <h2 id="second-contact">{t('procedure.secondContact')}</h2>
      <p data-listen>{t('procedure.secondContactWhy')}</p>
      {steps ? (
        <steps.SecondContactSteps
          own={own}
          onAdded={() => {
            close()
            onAdded?.()
          }}
          onCancel={close}
        />
      ) : (
        <Button
          variant="secondary"
          busy={busy}
          busyLabel={t('button.busy')}
          onClick={() => void runOnce(begin)}
        >
          {t(otherKind(own.method) === 'email' ? 'procedure.addEmail' : 'procedure.addPhone')}
        </Button>
      )}
    </section>
  )
}
