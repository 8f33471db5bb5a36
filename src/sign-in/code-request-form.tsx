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

/**
 * The form that requests a one-time code. `children`: the field of the contact, or a text where the contact is known.
 * When the server demands a captcha or a wait for the next code, `Captcha` is between `children` and the buttons.
 * `onSubmit` checks the field, if there is one, and sends the request.
 */
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
