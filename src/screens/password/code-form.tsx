import { useNavigate, useRouter } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useIntl } from 'react-intl'
import { goOnStorageKey } from '#contract/codes.ts'
import { issueText } from '#i18n/issue-words.ts'
import { useText } from '#i18n/intl.ts'
import { toLanguage } from '#i18n/language.ts'
import { useServices } from '#portal/services.ts'
import { mayGoOut } from '#portal/sign-in/code-request.ts'
import { type Contact, rememberSignIn } from '#portal/sign-in/pending-sign-in.ts'
import { signIn } from '#portal/sign-in/sign-in.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { CodeField } from '#ui/code-field.tsx'

type CodeFormProps = {
  contact: Contact | undefined
  /** Continue was pressed, and there is neither a number nor an address. */
  onNobody: () => void
  children: ReactNode
}

export function CodeForm({ contact, onNobody, children }: CodeFormProps) {
  const t = useText()
  const services = useServices()
  const language = toLanguage(useIntl().locale)
  const navigate = useNavigate()
  const router = useRouter()
  const input = useRef<HTMLInputElement>(null)
  const [code, setCode] = useState('')
  const [empty, setEmpty] = useState(false)
  const [busy, setBusy] = useState(false)
  const methodPage = pageOf(contact)
  const { device, notices } = services

  // The phone may hand over the code as its SMS arrives.
  useEffect(() => device.onSmsCode(setCode), [device])

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (busy) return
    if (!contact) return onNobody()
    const otp = code.replace(/\s/g, '')
    setEmpty(otp === '')
    if (otp === '') return input.current?.focus()
    if (!mayGoOut(services)) return
    setBusy(true)
    const outcome = await signIn(services, { contact, otp, language })
    setBusy(false)
    if (outcome.notice) notices.raise(...outcome.notice)
    if (outcome.kind === 'stay') return input.current?.select()
    // A code that expired is asked for anew where the number or address is (ERR02).
    if (outcome.kind === 'expired') return navigate({ to: methodPage })
    rememberSignIn(device, undefined)
    const goOn = device.recallHere(goOnStorageKey)
    device.rememberHere(goOnStorageKey, undefined)
    if (goOn !== undefined) return router.history.replace(goOn)
    await navigate({ to: '/procedure', replace: true })
  }

  return (
    <form method="post" noValidate onSubmit={event => void submit(event)}>
      <CodeField
        ref={input}
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
      {children}
      <ButtonRow>
        <Button type="submit" busy={busy} busyLabel={t('button.busy')}>
          {t('button.continue')}
        </Button>
        <Button variant="secondary" onClick={() => void navigate({ to: methodPage })}>
          {t('button.back')}
        </Button>
      </ButtonRow>
    </form>
  )
}

function pageOf(contact: Contact | undefined): '/' | '/mobile' | '/mail' {
  if (!contact) return '/'
  return contact.method === 'phone' ? '/mobile' : '/mail'
}
