import type { FormEvent, ReactNode } from 'react'
import { useText } from '#i18n/intl.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { CaptchaBox } from './captcha-box.tsx'
import type { CodeRequest } from './code-request.ts'

type CodeRequestFormProps = {
  request: CodeRequest
  onSubmit: () => Promise<void>
  back: { label: string; onPress: () => void }
  children: ReactNode
}

/** Around the box for a number or an address that a code is to go to: the captcha in its place, and the way on. */
export function CodeRequestForm({ request, onSubmit, back, children }: CodeRequestFormProps) {
  const t = useText()

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!request.busy) void onSubmit()
  }

  return (
    <form method="post" noValidate onSubmit={submit}>
      {children}
      {request.captcha && <CaptchaBox demand={request.captcha} onSolved={request.solve} />}
      <ButtonRow>
        <Button type="submit" busy={request.busy} busyLabel={t('button.busy')}>
          {t('button.continue')}
        </Button>
        <Button variant="secondary" onClick={back.onPress}>
          {back.label}
        </Button>
      </ButtonRow>
    </form>
  )
}
