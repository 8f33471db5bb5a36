import { useState } from 'react'
import { useText } from '#i18n/intl.ts'
import { useServerInfo } from '#app/services.ts'
import type { PendingSignIn } from '#sign-in/pending-sign-in.ts'
import { Button } from '#ui/button.tsx'
import { ContactCodeForm } from './contact-code-form.tsx'
import { ContactForm } from './contact-form.tsx'
import styles from './second-contact.module.css'

type Step = { kind: 'closed' } | { kind: 'contact' } | { kind: 'code'; pending: PendingSignIn }

/**
 * Adds a second contact, so that the applicant can sign in with either. Absent when both exist, or when the server does not
 * have the feature `contacts`.
 */
export function SecondContact({ msisdn, email }: { msisdn: string | null; email: string | null }) {
  const t = useText()
  const server = useServerInfo()
  const [step, setStep] = useState<Step>({ kind: 'closed' })
  if ((msisdn && email) || !server.value?.features.includes('contacts')) return null

  const method = msisdn ? 'email' : 'phone'
  const close = () => setStep({ kind: 'closed' })
  const add = t(method === 'email' ? 'procedure.addEmail' : 'procedure.addPhone')
  return (
    <section className={styles.second} aria-labelledby="second-contact">
      <h2 id="second-contact">{t('procedure.secondContact')}</h2>
      <p>{t('procedure.secondContactWhy')}</p>
      {step.kind === 'closed' && (
        <Button variant="secondary" onClick={() => setStep({ kind: 'contact' })}>
          {add}
        </Button>
      )}
      {step.kind === 'contact' && (
        <ContactForm
          method={method}
          onSent={pending => setStep({ kind: 'code', pending })}
          onCancel={close}
        />
      )}
      {step.kind === 'code' && (
        <ContactCodeForm
          pending={step.pending}
          onAgain={() => setStep({ kind: 'contact' })}
          onCancel={close}
        />
      )}
    </section>
  )
}
