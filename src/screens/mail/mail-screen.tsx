import { useRef, useState } from 'react'
import { isSignInEmail, normaliseEmail } from '#contract/email.ts'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { CodeRequestForm } from '#sign-in/code-request-form.tsx'
import { longestPressMs } from '#ui/longest-press.ts'
import { loadRouter, useCodeRequest } from '#sign-in/use-code-request.ts'
import { readPendingContact } from '#sign-in/pending-sign-in.ts'
import { SharedDeviceCheckbox, useDeviceUse } from '#sign-in/shared-device-checkbox.tsx'
import { Page } from '#ui/page.tsx'
import { TextField } from '#ui/text-field.tsx'

/** Sign-in by e-mail (SIG06–SIG09). */
export function MailScreen() {
  const t = useText()
  const { device, navigation } = useServices()
  const shared = useDeviceUse().kind !== 'own'
  const request = useCodeRequest()
  const { input, email, isWrong, change, checkTyped, check } = useEmailEntry()
  const page = t('mail.heading')

  async function submit() {
    if (!check()) return input.current?.focus()
    const pending = await request.send({ method: 'email', value: email })
    if (pending) await navigation.go('/password')
  }

  return (
    <Page heading={page} lead={t('mail.lead')}>
      <title>{t('app.title', { page: isWrong ? t('app.errorTitle', { page }) : page })}</title>
      <CodeRequestForm
        request={request}
        onSubmit={submit}
        back={{ label: t('button.back'), onPress: () => void navigation.go('/') }}
      >
        {/* Not type="email": such a field hides typed spaces from the page (SIG07). */}
        <TextField
          ref={input}
          name="email"
          inputMode="email"
          autoComplete={shared ? 'off' : 'email'}
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          label={t('mail.address')}
          error={isWrong ? t('issue.not-valid') : undefined}
          value={email}
          onChange={event => change(event.target.value)}
          onBlur={() => void device.after(longestPressMs, checkTyped)}
        />
        <SharedDeviceCheckbox />
      </CodeRequestForm>
    </Page>
  )
}

/** The typed address, and whether the screen shows it as wrong. */
function useEmailEntry() {
  const services = useServices()
  const { device } = services
  const input = useRef<HTMLInputElement>(null)
  const [email, setEmail] = useState(() =>
    normaliseEmail(device.readPrerendered('email')?.text || (readPendingContact({ device }, 'email') ?? '')),
  )
  const [isWrong, setWrong] = useState(false)

  function change(typed: string) {
    const next = normaliseEmail(typed)
    setEmail(next)
    setWrong(false)
    if (isSignInEmail(next)) loadRouter(services)
  }

  /**
   * Runs after the press that took the focus from the field, because an error message that appears during a press would move
   * the pressed button. An empty field is no error yet. Nor is a field that the applicant has focused again.
   */
  function checkTyped() {
    const typed = input.current?.value ?? ''
    if (typed === '' || document.activeElement === input.current) return
    setWrong(!isSignInEmail(typed))
  }

  /** Returns whether the address is valid; if not, marks the field. */
  function check(): boolean {
    const isValid = isSignInEmail(email)
    setWrong(!isValid)
    return isValid
  }

  return { input, email, isWrong, change, checkTyped, check }
}
