import type { FormEvent, ReactNode } from 'react'
import { Captcha } from './captcha.tsx'
import type { CodeRequest } from './use-code-request.ts'
import { type BackButton, ContinueRow } from './continue-row.tsx'

type CodeRequestFormProps = {
  request: CodeRequest
  onSubmit: () => Promise<void>
  back: BackButton
  children: ReactNode
}

/** The form around a phone number or e-mail address: the fields, the captcha and the buttons. */
export function CodeRequestForm({ request, onSubmit, back, children }: CodeRequestFormProps) {
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!request.busy) void onSubmit()
  }

  return (
    <form method="post" noValidate onSubmit={submit}>
      {children}
      {request.captcha && <Captcha demand={request.captcha} onSolved={request.solve} />}
      <ContinueRow busy={request.busy} back={back} />
    </form>
  )
}
