import { useState } from 'react'
import { accountFeature, otherKind } from '#contract/account.ts'
import { useText } from '#i18n/intl.ts'
import { useServerInfo, useServices } from '#app/services.ts'
import { useIsOpen } from '#ui/use-is-open.ts'
import { ContactCodeForm } from './contact-code-form.tsx'
import { ContactForm } from './contact-form.tsx'
import { ContactProof } from './contact-proof.tsx'
import { isProofNeeded } from './confirm-contact.ts'
import type { Contact, PendingSignIn } from './pending-sign-in.ts'
import { useCodeRequest } from './use-code-request.ts'

type Step = { kind: 'proof' } | { kind: 'contact' } | { kind: 'code'; pending: PendingSignIn }

type SecondContactStepsProps = {
  /** The contact that exists. */
  own: Contact
  onAdded: () => void
  onCancel: () => void
}

/**
 * Adds a contact of the other kind. First the applicant proves the contact that exists (D70), if the server has the feature
 * `account`.
 */
export function SecondContactSteps({ own, onAdded, onCancel }: SecondContactStepsProps) {
  const t = useText()
  const { call, notices } = useServices()
  const server = useServerInfo()
  const isWanted = useIsOpen()
  const [step, setStep] = useState<Step>({
    kind: server.value?.features.includes(accountFeature) ? 'proof' : 'contact',
  })
  const proveAgain = () => {
    notices.raise('warning', { key: 'notice.codeExpired' })
    setStep({ kind: 'proof' })
  }
  const askCode = (pending: PendingSignIn) => setStep({ kind: 'code', pending })
  const request = useCodeRequest(async asked => {
    const result = await call('addContact', asked, { isWanted })
    if (result.ok || !isProofNeeded(result.problem)) return result
    proveAgain()
    return undefined
  })
  switch (step.kind) {
    case 'proof':
      return (
        <ContactProof contact={own} onProven={() => setStep({ kind: 'contact' })} onCancel={onCancel}>
          {null}
        </ContactProof>
      )
    case 'contact':
      return (
        <ContactForm
          method={otherKind(own.method)}
          request={request}
          onSent={askCode}
          back={{ label: t('button.cancel'), onPress: onCancel }}
        />
      )
    case 'code':
      return (
        <ContactCodeForm
          pending={step.pending}
          request={request}
          onSent={askCode}
          onAdded={onAdded}
          onProofNeeded={proveAgain}
          onFail={() => setStep({ kind: 'contact' })}
          onCancel={onCancel}
        />
      )
  }
}
