import { useRef, useState } from 'react'
import { isSignInEmail, normaliseEmail } from '#contract/email.ts'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { CodeRequestForm } from '#sign-in/code-request-form.tsx'
import { longestPressMs, useCodeRequest } from '#sign-in/use-code-request.ts'
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
  const input = useRef<HTMLInputElement>(null)
  const [email, setEmail] = useState(() =>
    normaliseEmail(device.readPrerendered('email')?.text || (readPendingContact({ device }, 'email') ?? '')),
  )
  const [wrong, setWrong] = useState(false)
  const page = t('mail.heading')

  /** An empty field is no error yet. Nor is a field that the applicant has focused again. */
  function normaliseTyped() {
    const typed = input.current?.value ?? ''
    if (typed === '' || document.activeElement === input.current) return
    setWrong(!isSignInEmail(typed))
  }

  async function submit() {
    const valid = isSignInEmail(email)
    setWrong(!valid)
    if (!valid) return input.current?.focus()
    const pending = await request.send({ method: 'email', value: email })
    if (pending) await navigation.go('/password')
  }

  return (
    <Page heading={page} lead={t('mail.lead')}>
      <title>{t('app.title', { page: wrong ? t('app.errorTitle', { page }) : page })}</title>
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
          error={wrong ? t('issue.not-valid') : undefined}
          value={email}
          onChange={event => {
            setEmail(normaliseEmail(event.target.value))
            setWrong(false)
          }}
          onBlur={() => void device.after(longestPressMs, normaliseTyped)}
        />
        <SharedDeviceCheckbox />
      </CodeRequestForm>
    </Page>
  )
}
