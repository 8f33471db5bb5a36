import { useEffect, useState } from 'react'
import { otherKind } from '#contract/account.ts'
import { DormantQuestion } from '#contract/dormant.ts'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import type { Contact } from '#sign-in/pending-sign-in.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { focusHeading, Page } from '#ui/page.tsx'
import { RadioGroup } from '#ui/radio-group.tsx'
import { useIsOpen } from '#ui/use-is-open.ts'
import { pageOf } from './code-form.tsx'
import { StartAgain } from './dormant-start-again.tsx'
import type { DormantStep } from './dormant-answer.ts'
import { ByApplication } from './dormant-application.tsx'
import { ByContact } from './dormant-contact.tsx'

/** The question after a right code to a contact that no earlier code has proven in the last year (SIG14, D122). */
export function DormantScreen({ contact, question }: { contact: Contact; question: unknown }) {
  const t = useText()
  const { navigation, notices } = useServices()
  const asked = DormantQuestion.safeParse(question).data
  const page = t('dormant.heading')
  const isOpen = useIsOpen()
  useEffect(() => {
    // The code's form, which had the focus, is gone.
    focusHeading()
    notices.withdraw('notice.codeSentPhone')
    notices.withdraw('notice.codeSentEmail')
  }, [notices])
  if (!asked) return null

  const back = { label: t('button.back'), onPress: () => void navigation.go(pageOf(contact)) }
  function goBackForNewCode() {
    // A late answer leaves the applicant on the page that they have opened since (D137).
    if (!isOpen()) return
    notices.raise('warning', { key: 'notice.codeExpired' })
    back.onPress()
  }
  return (
    <Page
      heading={page}
      lead={
        <>
          <p>{t(`dormant.why.${asked.proven}`)}</p>
          <p>{t('dormant.protects')}</p>
        </>
      }
    >
      <title>{t('app.title', { page })}</title>
      <Ways {...asked} back={back} onExpired={goBackForNewCode} />
    </Page>
  )
}

const ways = ['application', 'contact', 'start-again'] as const
type Way = (typeof ways)[number]

/** The three ways to continue, and the fields of the chosen one. */
function Ways(props: DormantStep & DormantQuestion) {
  const t = useText()
  const [way, setWay] = useState<Way>()
  const other = otherKind(props.proven)
  return (
    <>
      <RadioGroup
        name="dormantWay"
        label={t('dormant.choose')}
        options={ways.map(value => {
          const name = value === 'contact' ? other : value
          return { value, label: t(`dormant.by.${name}`), hint: t(`dormant.byHint.${name}`) }
        })}
        value={way ?? ''}
        onChange={event => setWay(ways.find(each => each === event.target.value))}
      />
      {way === undefined && (
        <ButtonRow>
          <Button variant="secondary" onClick={props.back.onPress}>
            {props.back.label}
          </Button>
        </ButtonRow>
      )}
      {way === 'application' && <ByApplication {...props} />}
      {way === 'contact' && <ByContact {...props} method={other} />}
      {way === 'start-again' && <StartAgain {...props} />}
    </>
  )
}
