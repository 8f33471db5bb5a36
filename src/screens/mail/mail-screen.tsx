import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { isSignInEmail, tidyEmail } from '#contract/email.ts'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#portal/services.ts'
import { CodeRequestForm } from '#portal/sign-in/code-request-form.tsx'
import { afterPress, useCodeRequest } from '#portal/sign-in/code-request.ts'
import { recallContact } from '#portal/sign-in/pending-sign-in.ts'
import { SharedTick, useDeviceUse } from '#portal/sign-in/shared-tick.tsx'
import { Page } from '#ui/page.tsx'
import { TextField } from '#ui/text-field.tsx'

/** Sign-in by e-mail (SIG06–SIG09). */
export function MailScreen() {
  const t = useText()
  const { device } = useServices()
  const navigate = useNavigate()
  const shared = useDeviceUse().kind !== 'own'
  const request = useCodeRequest()
  const input = useRef<HTMLInputElement>(null)
  const [email, setEmail] = useState(() =>
    tidyEmail(device.painted('email')?.text || (recallContact(device, 'email') ?? '')),
  )
  const [wrong, setWrong] = useState(false)
  const page = t('mail.heading')

  /** An empty field is no mistake yet, nor one that somebody has come back to. */
  function settle() {
    const typed = input.current?.value ?? ''
    if (typed === '' || document.activeElement === input.current) return
    setWrong(!isSignInEmail(typed))
  }

  async function submit() {
    const valid = isSignInEmail(email)
    setWrong(!valid)
    if (!valid) return input.current?.focus()
    const pending = await request.send({ method: 'email', value: email })
    if (pending) await navigate({ to: '/password' })
  }

  return (
    <Page heading={page} lead={t('mail.lead')}>
      <title>{t('app.title', { page: wrong ? t('app.errorTitle', { page }) : page })}</title>
      <CodeRequestForm
        request={request}
        onSubmit={submit}
        back={{ label: t('button.back'), onPress: () => void navigate({ to: '/' }) }}
      >
        {/* Of type text: a field of type email hides the spaces that were typed from the page (SIG07). */}
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
            setEmail(tidyEmail(event.target.value))
            setWrong(false)
          }}
          onBlur={() => void device.after(afterPress, settle)}
        />
        <SharedTick />
      </CodeRequestForm>
    </Page>
  )
}
