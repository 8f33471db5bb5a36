import { useState } from 'react'
import type { ProblemCode } from '#contract/problems.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServices } from '#app/services.ts'
import { CodeEntry } from '#sign-in/code-entry.tsx'
import { ContactForm } from '#sign-in/contact-form.tsx'
import { type Contact, contactFields, type PendingSignIn } from '#sign-in/pending-sign-in.ts'
import type { WrongCode } from '#sign-in/sign-in.ts'
import { useCodeRequest } from '#sign-in/use-code-request.ts'
import { Panel } from '#ui/panel.tsx'
import { answerDormant, type DormantStep } from './dormant-answer.ts'

/** Asks the owner of a dormant account for its other contact, and for a code that is sent to it (SIG16). */
export function ByContact({ ticket, back, onExpired, method }: DormantStep & { method: Contact['method'] }) {
  const t = useText()
  const services = useServices()
  const { call, notices } = services
  const language = useLanguage()
  const [pending, setPending] = useState<PendingSignIn>()
  const request = useCodeRequest(
    async ({ query, body }) => {
      const result = await call('askDormantCode', { query, body: { ...body, ticket } })
      // This call checks no code: its `code-expired` means that the ticket has no open question any more.
      const isTicketExpired =
        !result.ok &&
        result.problem.kind === 'refused' &&
        result.problem.reason === ('code-expired' satisfies ProblemCode)
      if (!isTicketExpired) return result
      onExpired()
      return undefined
    },
    { isSecret: true },
  )

  async function enter(contact: Contact, otp: string): Promise<'stay' | WrongCode | 'leave'> {
    const answer = { kind: 'contact', ...contactFields(contact), otp } as const
    const outcome = await answerDormant(services, { ticket, answer, language })
    const isSpent = outcome.kind === 'wrong-code' && outcome.fault === 'spent'
    if (outcome.kind === 'wrong-code' && !isSpent) {
      notices.raise('warning', { key: 'notice.codeWrong' })
      return outcome.fault
    }
    // A spent and an expired code need a new one, so the form that requests a code opens again.
    if (isSpent || outcome.kind === 'expired') {
      notices.raise('warning', { key: isSpent ? 'password.spent' : 'notice.codeExpired' })
      setPending(undefined)
    }
    return outcome.kind === 'stay' ? 'stay' : 'leave'
  }

  if (!pending)
    return <ContactForm method={method} request={request} onSent={setPending} back={back} focused={false} />
  return (
    <>
      <Panel announce>{t(`dormant.sent.${method}`)}</Panel>
      <CodeEntry
        focused
        onCode={otp => enter(pending, otp)}
        back={{ label: t('button.back'), onPress: () => setPending(undefined) }}
      />
    </>
  )
}
