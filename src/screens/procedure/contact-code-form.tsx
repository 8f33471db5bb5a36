import { type FormEvent, useEffect, useState } from 'react'
import { useIntl } from 'react-intl'
import { formatPhone } from '#contract/phone.ts'
import { issueText } from '#i18n/issue-words.ts'
import { useText } from '#i18n/intl.ts'
import { toLanguage } from '#i18n/language.ts'
import { useServices } from '#portal/services.ts'
import { mayGoOut } from '#portal/sign-in/code-request.ts'
import { confirmContact } from '#portal/sign-in/confirm-contact.ts'
import type { PendingSignIn } from '#portal/sign-in/pending-sign-in.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { CodeField } from '#ui/code-field.tsx'
import { useFocusedInput } from './focused-input.ts'

type ContactCodeFormProps = { pending: PendingSignIn; onAgain: () => void; onCancel: () => void }

/** The code that went to the second contact. When it is right, the session names both and the section goes. */
export function ContactCodeForm({ pending, onAgain, onCancel }: ContactCodeFormProps) {
  const t = useText()
  const services = useServices()
  const { device, notices } = services
  const language = toLanguage(useIntl().locale)
  const { input, attach } = useFocusedInput()
  const [code, setCode] = useState('')
  const [empty, setEmpty] = useState(false)
  const [busy, setBusy] = useState(false)

  // The phone may hand over the code as its SMS arrives.
  useEffect(() => device.onSmsCode(setCode), [device])

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (busy) return
    const otp = code.replace(/\s/g, '')
    setEmpty(otp === '')
    if (otp === '') return input.current?.focus()
    if (!mayGoOut(services)) return
    setBusy(true)
    const outcome = await confirmContact(services, { contact: pending, otp, language })
    setBusy(false)
    if (outcome.notice) notices.raise(...outcome.notice)
    if (outcome.kind === 'stay') return input.current?.select()
    if (outcome.kind === 'again') onAgain()
  }

  const contact = pending.method === 'phone' ? formatPhone(pending.value) : pending.value
  return (
    <form method="post" noValidate onSubmit={event => void submit(event)}>
      <p>{t('password.sentTo', { contact })}</p>
      <p>{t('password.patience')}</p>
      <CodeField
        ref={attach}
        name="otp"
        label={t('password.code')}
        showLabel={t('button.show')}
        hideLabel={t('button.hide')}
        error={empty ? issueText(t, 'code-empty') : undefined}
        value={code}
        onChange={event => {
          setCode(event.target.value)
          setEmpty(false)
        }}
      />
      <ButtonRow>
        <Button type="submit" busy={busy} busyLabel={t('button.busy')}>
          {t('button.continue')}
        </Button>
        <Button variant="secondary" onClick={onCancel}>
          {t('button.cancel')}
        </Button>
      </ButtonRow>
    </form>
  )
}
