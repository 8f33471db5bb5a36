import { type ReactNode, useState } from 'react'
import { formatPhone } from '#contract/phone.ts'
import { isHandledByScreen, type Problem } from '#api/result.ts'
import { routedCodes } from '#contract/routed-codes.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServices } from '#app/services.ts'
import { CodeEntry } from './code-entry.tsx'
import { CodeRequestForm } from './code-request-form.tsx'
import type { NextButton } from './continue-row.tsx'
import type { Contact, PendingSignIn } from './pending-sign-in.ts'
import { ResendCode } from './resend-code.tsx'
import { describeWrongCode, type WrongCode } from './sign-in.ts'
import { type CodeRequest, useCodeRequest } from './use-code-request.ts'
import { takeFocus } from '#ui/take-focus.ts'
import { useIsOpen } from '#ui/use-is-open.ts'
import styles from './contact-proof.module.css'

type ContactProofProps = {
  /** A contact of the applicant, which gets the code. */
  contact: Contact
  /** Says what follows the code. */
  children: ReactNode
  /** The button below the code, when its label must name the action because this page has no undo for it. */
  confirm?: NextButton | undefined
  /** `isWanted`: whether the applicant has neither pressed Cancel nor opened another page since. */
  onProven: (isWanted: () => boolean) => void | Promise<void>
  onCancel: () => void
}

/**
 * Sends a code to a contact of the applicant and asks for it, before contacts change (D70) or the account is deleted (D112).
 */
export function ContactProof({ contact, children, confirm, onProven, onCancel }: ContactProofProps) {
  const t = useText()
  const { call } = useServices()
  const isWanted = useIsOpen()
  const request = useCodeRequest(({ query, body: { gRecaptchaResponse } }) =>
    call('askProofCode', { query, body: { kind: contact.method, gRecaptchaResponse } }, { isWanted }),
  )
  const [pending, setPending] = useState<PendingSignIn>()
  const shown = contact.method === 'phone' ? formatPhone(contact.value) : contact.value

  async function ask(captchaAnswer?: string) {
    const sent = await request.send(contact, { captchaAnswer })
    if (sent) setPending(sent)
  }

  if (pending)
    return (
      <ProofCode
        {...{ pending, shown, request, confirm, onProven, onCancel }}
        onResend={ask}
        onFail={() => setPending(undefined)}
      />
    )
  return (
    <CodeRequestForm request={request} onSubmit={ask} back={{ label: t('button.cancel'), onPress: onCancel }}>
      {/* The text replaces the control that had the focus. */}
      <div ref={takeFocus} tabIndex={-1} className={styles.why}>
        {children}
        <p>{t('proof.why', { contact: shown })}</p>
      </div>
    </CodeRequestForm>
  )
}

type ProofCodeProps = {
  pending: PendingSignIn
  shown: string
  request: CodeRequest
  onResend: (captchaAnswer?: string) => Promise<void>
  confirm: NextButton | undefined
  onProven: ContactProofProps['onProven']
  /** The code can no longer prove the contact: it is spent, or the server refuses it, for example because it has expired. */
  onFail: () => void
  onCancel: () => void
}

function ProofCode({ pending, shown, request, onResend, confirm, ...props }: ProofCodeProps) {
  const { onProven, onFail, onCancel } = props
  const t = useText()
  const { call, notices } = useServices()
  const language = useLanguage()
  const isOpen = useIsOpen()

  async function enter(otp: string): Promise<'stay' | WrongCode | 'leave'> {
    const body = { kind: pending.method, otp }
    const result = await call('proveContact', { query: { lg: language }, body }, { isWanted: isOpen })
    // After Cancel, or on another page, the applicant no longer wants what would follow the code (D137).
    if (!isOpen()) return 'leave'
    if (result.ok) {
      await onProven(isOpen)
      return 'leave'
    }
    const outcome = outcomeOf(result.problem)
    if (outcome === 'wrong' || outcome === 'lastTry') notices.raise('warning', { key: 'notice.codeWrong' })
    if (outcome !== 'again' && outcome !== 'spent') return outcome
    // Both need a new code, which the form before this one requests.
    notices.raise('warning', { key: outcome === 'again' ? 'notice.codeExpired' : 'password.spent' })
    onFail()
    return 'leave'
  }

  return (
    <>
      <p>{t('password.sentTo', { contact: shown })}</p>
      <p>{t('password.patience')}</p>
      <CodeEntry
        focused
        onCode={enter}
        next={confirm}
        back={{ label: t('button.cancel'), onPress: onCancel }}
      >
        <ResendCode countdown={pending} request={request} onResend={onResend} />
      </CodeEntry>
    </>
  )
}

function outcomeOf(problem: Problem): 'stay' | 'again' | WrongCode {
  if (!isHandledByScreen(problem)) return 'stay'
  return problem.statusCode === routedCodes.codeWrong ? describeWrongCode(problem.data) : 'again'
}
