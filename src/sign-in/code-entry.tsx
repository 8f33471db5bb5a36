import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { CodeField } from '#ui/code-field.tsx'
import { useBusy } from '#ui/use-busy.ts'
import { requireOnline } from './use-code-request.ts'
import { type BackButton, ContinueRow, type NextButton } from './continue-row.tsx'
import type { WrongCode } from './sign-in.ts'

type CodeEntryProps = {
  /** Sends the code. Resolves to how it was wrong, to 'stay' after another failure, to 'leave' when the form closes. */
  onCode: (otp: string) => Promise<'stay' | WrongCode | 'leave'>
  /** Given only when the page knows no contact that a code was sent to: then it is called in place of `onCode`. */
  onUnknownContact?: (() => void) | undefined
  back: BackButton
  next?: NextButton | undefined
  /** This form replaces a pressed button: the field gets the focus when it appears. */
  focused?: boolean
  /** The heading of a page that is about the code alone. With it, the page title also says that there is an error. */
  page?: string
  children?: ReactNode
}

/** The form for a one-time code: on /password, to add a contact, and to prove one again (D70, D112). */
export function CodeEntry({
  onCode,
  onUnknownContact,
  focused = false,
  page,
  children,
  ...buttons
}: CodeEntryProps) {
  const t = useText()
  const services = useServices()
  const input = useRef<HTMLInputElement>(null)
  const [attach] = useState(() => (element: HTMLInputElement | null) => {
    input.current = element
    if (focused) element?.focus()
  })
  const [code, setCode] = useTypedCode()
  const [fault, setFault] = useState<'empty' | WrongCode | undefined>(undefined)
  const { busy, runOnce } = useBusy()

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (busy) return
    if (onUnknownContact) return onUnknownContact()
    const otp = code.replace(/\s/g, '')
    setFault(otp === '' ? 'empty' : undefined)
    if (otp === '') return input.current?.focus()
    if (!requireOnline(services)) return
    const outcome = await runOnce(() => onCode(otp))
    if (outcome === undefined || outcome === 'leave') return
    if (outcome !== 'stay') setFault(outcome)
    input.current?.select()
  }

  return (
    <form method="post" noValidate onSubmit={event => void submit(event)}>
      {/* React puts the newest title first, and the browser shows the first one. */}
      {page && fault && <title>{t('app.title', { page: t('app.errorTitle', { page }) })}</title>}
      <CodeField
        ref={attach}
        name="otp"
        data-first-focus=""
        label={t('password.code')}
        showLabel={t('button.show')}
        hideLabel={t('button.hide')}
        error={fault && t(faultKeys[fault])}
        value={code}
        onChange={event => {
          setCode(event.target.value)
          setFault(undefined)
          services.notices.end('notice.codeWrong')
        }}
      />
      <ContinueRow busy={busy} {...buttons} />
      {children}
    </form>
  )
}

/** What the applicant has typed, also before hydration, or the browser has read from the SMS. */
function useTypedCode() {
  const { device } = useServices()
  const typed = useState(() => device.readPrerendered('otp')?.text ?? '')
  const [, setCode] = typed
  useEffect(() => device.onSmsCode(setCode), [device, setCode])
  return typed
}

const faultKeys = {
  empty: 'issue.code-empty',
  wrong: 'notice.codeWrong',
  lastTry: 'password.lastTry',
  spent: 'password.spent',
} as const
