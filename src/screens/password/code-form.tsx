import type { ReactNode } from 'react'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServices } from '#app/services.ts'
import { CodeEntry } from '#sign-in/code-entry.tsx'
import { type Contact, expirePendingCode } from '#sign-in/pending-sign-in.ts'
import { leaveSignIn, signIn } from '#sign-in/sign-in.ts'

type CodeFormProps = {
  contact: Contact | undefined
  /** Called when Continue is pressed and the browser knows no contact. */
  onUnknownContact: () => void
  /**
   * Called after a right code to a contact that no earlier code has proven in the last year (D122). `question`: an unchecked
   * `DormantQuestion`.
   */
  onDormant: (question: unknown) => Promise<void>
  children: ReactNode
}

export function CodeForm({ contact, onUnknownContact, onDormant, children }: CodeFormProps) {
  const t = useText()
  const services = useServices()
  const language = useLanguage()
  const methodPage = pageOf(contact)
  const { navigation, notices } = services

  async function enter(otp: string) {
    if (!contact) return 'stay'
    const hasLeft = navigation.watchLeaving()
    const outcome = await signIn(services, { contact, otp, language })
    if (outcome.notice) notices.raise(...outcome.notice)
    // No code of this contact is valid any more: the next request must send a new one.
    if (outcome.kind === 'spent' || (outcome.kind === 'expired' && outcome.spent))
      expirePendingCode(services, contact)
    // After an expired code, the applicant requests a new one on the page of the number or address (ERR02).
    if (outcome.kind === 'expired') await (hasLeft() || navigation.go(methodPage))
    else if (outcome.kind === 'signed-in') await leaveSignIn(services, outcome)
    else if (outcome.kind === 'dormant') await onDormant(outcome.question)
    else return outcome.kind
    return 'leave'
  }

  return (
    <CodeEntry
      page={t('password.heading')}
      onCode={enter}
      onUnknownContact={contact ? undefined : onUnknownContact}
      back={{ label: t('button.back'), onPress: () => void navigation.go(methodPage) }}
    >
      {children}
    </CodeEntry>
  )
}

export function pageOf(contact: Contact | undefined): '/' | '/mobile' | '/mail' {
  if (!contact) return '/'
  return contact.method === 'phone' ? '/mobile' : '/mail'
}
