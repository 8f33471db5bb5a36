import type { ReactNode } from 'react'
import { resumeStorageKey } from '#contract/codes.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServices } from '#app/services.ts'
import { CodeEntry } from '#sign-in/code-entry.tsx'
import { type Contact, expirePendingCode, savePendingSignIn } from '#sign-in/pending-sign-in.ts'
import { signIn } from '#sign-in/sign-in.ts'

type CodeFormProps = {
  contact: Contact | undefined
  /** Called when Continue is pressed and the browser knows no contact. */
  onUnknownContact: () => void
  children: ReactNode
}

export function CodeForm({ contact, onUnknownContact, children }: CodeFormProps) {
  const t = useText()
  const services = useServices()
  const language = useLanguage()
  const methodPage = pageOf(contact)
  const { device, navigation, notices } = services

  async function enter(otp: string) {
    if (!contact) return 'stay'
    const outcome = await signIn(services, { contact, otp, language })
    if (outcome.notice) notices.raise(...outcome.notice)
    if (outcome.kind === 'spent' || (outcome.kind === 'expired' && outcome.spent)) expirePendingCode(services)
    // An expired code is requested again on the page of the number or address (ERR02).
    if (outcome.kind === 'expired') await navigation.go(methodPage)
    else if (outcome.kind === 'signed-in') await goForward()
    else return outcome.kind
    return 'leave'
  }

  async function goForward() {
    savePendingSignIn(services, undefined)
    const destination = device.readTabText(resumeStorageKey)
    device.saveTabText(resumeStorageKey, undefined)
    if (destination === undefined) await navigation.go('/procedure', { replace: true })
    else await navigation.go(destination, { replace: true })
  }

  return (
    <CodeEntry
      onCode={enter}
      onUnknownContact={contact ? undefined : onUnknownContact}
      back={{ label: t('button.back'), onPress: () => void navigation.go(methodPage) }}
    >
      {children}
    </CodeEntry>
  )
}

function pageOf(contact: Contact | undefined): '/' | '/mobile' | '/mail' {
  if (!contact) return '/'
  return contact.method === 'phone' ? '/mobile' : '/mail'
}
