import { formatPhone } from '#contract/phone.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServices } from '#app/services.ts'
import { useIsOpen } from '#ui/use-is-open.ts'
import { CodeEntry } from './code-entry.tsx'
import { confirmContact } from './confirm-contact.ts'
import type { PendingSignIn } from './pending-sign-in.ts'
import { ResendCode } from './resend-code.tsx'
import type { CodeRequest } from './use-code-request.ts'

type ContactCodeFormProps = {
  pending: PendingSignIn
  /** The request that has sent the code, to send another one. */
  request: CodeRequest
  onSent: (pending: PendingSignIn) => void
  onAdded: () => void
  /** The applicant must first prove again the contact that the account has (D70). */
  onProofNeeded: () => void
  /** The code can no longer add the contact: it has expired or is spent, or the server refuses the contact. */
  onFail: () => void
  onCancel: () => void
}

/** Asks for the code that was sent to the second contact. A correct code adds the contact to the account. */
export function ContactCodeForm({ pending, request, onSent, ...props }: ContactCodeFormProps) {
  const { onAdded, onProofNeeded, onFail, onCancel } = props
  const t = useText()
  const services = useServices()
  const language = useLanguage()
  // False after Cancel and on another page: then the client does not send the code again to a busy server (D137).
  const isWanted = useIsOpen()

  async function enter(otp: string) {
    const outcome = await confirmContact(services, { contact: pending, otp, language, isWanted })
    if (!isWanted() && outcome.kind !== 'added') return 'leave'
    if (outcome.notice) services.notices.raise(...outcome.notice)
    switch (outcome.kind) {
      case 'added':
        onAdded()
        return 'leave'
      case 'start-again':
      case 'spent':
        onFail()
        return 'leave'
      case 'proof-needed':
        onProofNeeded()
        return 'leave'
      case 'stay':
      case 'wrong':
      case 'lastTry':
        return outcome.kind
    }
  }

  async function resend(captchaAnswer?: string) {
    const sent = await request.send(pending, { captchaAnswer })
    if (sent) onSent(sent)
  }

  const contact = pending.method === 'phone' ? formatPhone(pending.value) : pending.value
  return (
    <>
      <p>{t('password.sentTo', { contact })}</p>
      <p>{t('password.patience')}</p>
      <CodeEntry focused onCode={enter} back={{ label: t('button.cancel'), onPress: onCancel }}>
        <ResendCode countdown={pending} request={request} onResend={resend} />
      </CodeEntry>
    </>
  )
}
