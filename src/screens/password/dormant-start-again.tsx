import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServices } from '#app/services.ts'
import type { Contact } from '#sign-in/pending-sign-in.ts'
import { requireOnline } from '#sign-in/use-code-request.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'
import { useBusy } from '#ui/use-busy.ts'
import { useIsOpen } from '#ui/use-is-open.ts'
import { answerDormant, type DormantStep } from './dormant-answer.ts'

type StartAgainProps = DormantStep & { proven: Contact['method'] }

/** Says what it means to start again. Its button leaves the earlier account (SIG17). */
export function StartAgain({ ticket, back, onExpired, proven }: StartAgainProps) {
  const t = useText()
  const services = useServices()
  const language = useLanguage()
  const { busy, runOnce } = useBusy()
  // Once the applicant has chosen another way, the client neither sends the answer nor sends it again to a busy server.
  const isWanted = useIsOpen()

  async function start() {
    if (!requireOnline(services)) return
    const answer = { kind: 'start-again' } as const
    const outcome = await answerDormant(services, { ticket, answer, language, isWanted })
    if (outcome.kind === 'expired') onExpired()
  }

  return (
    <>
      <Panel tone="warning" heading={t('dormant.startAgainHeading')} announce>
        <p>{t(`dormant.startAgainMeans.${proven}`)}</p>
        <p>{t('dormant.startAgainOld')}</p>
      </Panel>
      <ButtonRow>
        <Button variant="danger" busy={busy} busyLabel={t('button.busy')} onClick={() => void runOnce(start)}>
          {t('dormant.startAgainButton')}
        </Button>
        <Button variant="secondary" onClick={back.onPress}>
          {back.label}
        </Button>
      </ButtonRow>
    </>
  )
}
