import { useState } from 'react'
import { accountFeature, otherKind } from '#contract/account.ts'
import { useText } from '#i18n/intl.ts'
import { useServerInfo, useServices } from '#app/services.ts'
import { Button } from '#ui/button.tsx'
import { ContactCodeForm } from './contact-code-form.tsx'
import { ContactForm } from './contact-form.tsx'
import { ContactProof } from './contact-proof.tsx'
import { isProofNeeded } from './confirm-contact.ts'
import { findOwnContact } from './own-contact.ts'
import type { PendingSignIn } from './pending-sign-in.ts'
import { useCodeRequest } from './use-code-request.ts'
import styles from './second-contact.module.css'
import { focusHeading } from '#ui/page.tsx'

type Step =
  | { kind: 'closed' }
  | { kind: 'proof' }
  | { kind: 'contact' }
  | { kind: 'code'; pending: PendingSignIn }

type SecondContactProps = { msisdn: string | null; email: string | null; onAdded?: () => void }

/**
 * Adds a second contact, so that the applicant can sign in with either. First the applicant proves the contact that
 * exists (D70), if the server has the feature `account`. Absent when both contacts exist, or when the server does not have
 * the feature `contacts`.
 */
export function SecondContact({ msisdn, email, onAdded }: SecondContactProps) {
  const t = useText()
  const { call, notices } = useServices()
  const server = useServerInfo()
  const [step, setStep] = useState<Step>({ kind: 'closed' })
  const proveAgain = () => {
    notices.raise('warning', { key: 'notice.codeExpired' })
    setStep({ kind: 'proof' })
  }
  const request = useCodeRequest(async asked => {
    const result = await call('addContact', asked)
    if (result.ok || !isProofNeeded(result.problem)) return result
    proveAgain()
    return undefined
  })
  const own = findOwnContact({ msisdn, email })
  if (!own || (msisdn && email) || !server.value?.features.includes('contacts')) return null

  const method = otherKind(own.method)
  // The form with the focus disappears.
  const close = () => (setStep({ kind: 'closed' }), focusHeading())
  const needsProof = server.value.features.includes(accountFeature)
  return (
    <section className={styles.second} aria-labelledby="second-contact">
      <h2 id="second-contact">{t('procedure.secondContact')}</h2>
      <p data-listen>{t('procedure.secondContactWhy')}</p>
      {step.kind === 'closed' && (
        <Button variant="secondary" onClick={() => setStep({ kind: needsProof ? 'proof' : 'contact' })}>
          {t(method === 'email' ? 'procedure.addEmail' : 'procedure.addPhone')}
        </Button>
      )}
      {step.kind === 'proof' && (
        <ContactProof contact={own} onProven={() => setStep({ kind: 'contact' })} onCancel={close}>
          {null}
        </ContactProof>
      )}
      {step.kind === 'contact' && (
        <ContactForm
          method={method}
          request={request}
          onSent={pending => setStep({ kind: 'code', pending })}
          back={{ label: t('button.cancel'), onPress: close }}
        />
      )}
      {step.kind === 'code' && (
        <ContactCodeForm
          pending={step.pending}
          onAdded={() => {
            close()
            onAdded?.()
          }}
          onProofNeeded={proveAgain}
          onAgain={() => setStep({ kind: 'contact' })}
          onCancel={close}
        />
      )}
    </section>
  )
}
