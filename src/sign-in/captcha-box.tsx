import { useState } from 'react'
import { maxCodePauseSeconds } from '#contract/codes.ts'
import { waitInOneUnit } from '#contract/wait-in-one-unit.ts'
import type { CaptchaOffer } from '#contract/session.ts'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { Button } from '#ui/button.tsx'
import { ErrorLine } from '#ui/field.tsx'
import { Loader } from '#ui/loader.tsx'
import { Panel } from '#ui/panel.tsx'
import { takeLostFocus } from '#ui/take-focus.ts'
import { useIsOpen } from '#ui/use-is-open.ts'
import { useSnapshot } from '#ui/use-snapshot.ts'
import { isOff } from './captcha-off.ts'
import type { CaptchaDemand } from './use-code-request.ts'
import type { Countdown } from './countdown.ts'
import { showRecaptcha } from './recaptcha.ts'
import { useSecondsLeft } from './seconds-left.ts'

type CaptchaBoxProps = { demand: CaptchaDemand; onSolved: (answer: string) => void }

/** Shows the captcha that the server offers (SIG12, D24), or the time until the next code. */
export function CaptchaBox(props: CaptchaBoxProps) {
  const { wait } = props.demand
  return wait ? <CaptchaWait key={props.demand.round} wait={wait} /> : <CaptchaCheck {...props} />
}

/**
 * Counts down to the next code: a solved captcha would not shorten this wait. A screen reader speaks the reason and the end,
 * but not each second.
 */
function CaptchaWait({ wait }: { wait: Countdown }) {
  const t = useText()
  const seconds = useSecondsLeft(wait)
  if (seconds === 0) return <Panel announce>{t('captcha.waitOver')}</Panel>
  return (
    <>
      <Panel announce>{t(wait.length > maxCodePauseSeconds ? 'captcha.tooMany' : 'captcha.justAsked')}</Panel>
      <p>
        <strong>{t('captcha.wait', waitInOneUnit(seconds))}</strong>
      </p>
    </>
  )
}

function CaptchaCheck({ demand, onSolved }: CaptchaBoxProps) {
  const t = useText()
  const { captchaOffer } = useServices()
  const offer = useSnapshot(captchaOffer.subscribe, captchaOffer.current)
  const [isRetrying, setRetrying] = useState(false)

  async function retry() {
    setRetrying(true)
    await captchaOffer.reload()
    setRetrying(false)
  }

  // The server offers no captcha: the applicant waits and presses the button that requests a code again.
  if (isOff(offer.value)) return <Panel announce>{t('captcha.tooMany')}</Panel>
  return (
    <Panel announce tone={demand.answer === '' ? 'info' : 'success'} heading={t('captcha.heading')}>
      {demand.answer === '' && (
        <p>{t(demand.statusCode === tooManyForContact ? 'captcha.tooMany' : 'captcha.explain')}</p>
      )}
      {offer.state === 'pending' && !isRetrying && <Loader text={t('app.loading')} />}
      {(offer.state === 'failed' || isRetrying) && (
        <>
          <p>{t('captcha.loadFailed')}</p>
          <Button variant="secondary" busy={isRetrying} onClick={() => void retry()}>
            {t('button.retry')}
          </Button>
        </>
      )}
      {offer.value !== undefined && (
        <CaptchaTask key={demand.round} offer={offer.value} demand={demand} onSolved={onSolved} />
      )}
    </Panel>
  )
}

/** Status codes of the server (D20): too many codes for this number or address; a wrong answer to the captcha. */
const tooManyForContact = 9
const wrongAnswer = 8

function CaptchaTask({ offer, demand, onSolved }: CaptchaBoxProps & { offer: CaptchaOffer }) {
  const t = useText()
  if (demand.answer !== '')
    return (
      <p ref={takeLostFocus} tabIndex={-1}>
        {t('captcha.done')}
      </p>
    )
  if (typeof offer === 'string') return <SiteKeyTask sitekey={offer} demand={demand} onSolved={onSolved} />
  return <PuzzleTask demand={demand} onSolved={onSolved} />
}

/**
 * `notLoaded`: the puzzle, or the code that solves it, did not load. `failed`: the puzzle was not solved in time, could
 * not be solved, or the server says that the answer is wrong.
 */
type Stage = 'waiting' | 'working' | 'notLoaded' | 'failed'

function PuzzleTask({ demand, onSolved }: CaptchaBoxProps) {
  const t = useText()
  const { call, notices } = useServices()
  const [stage, setStage] = useState<Stage>(demand.statusCode === wrongAnswer ? 'failed' : 'waiting')
  const isOpen = useIsOpen()

  async function solve() {
    setStage('working')
    const { work } = demand
    const puzzle = await call('captchaChallenge', work === undefined ? {} : { query: { work: String(work) } })
    if (!puzzle.ok) return setStage('notLoaded')
    const code = await import('./proof-of-work.ts').catch(() => undefined)
    if (!code) return setStage('notLoaded')
    const answer = await code.solvePuzzle(puzzle.value)
    setStage(answer === undefined ? 'failed' : 'waiting')
    // After the applicant has left the page, a solved puzzle would request a code (D137).
    if (answer === undefined || !isOpen()) return
    // An earlier attempt may have raised this notice.
    notices.withdraw('notice.serviceUnavailable')
    onSolved(answer)
  }

  return (
    <>
      {stage === 'notLoaded' && <ErrorLine text={t('captcha.loadFailed')} />}
      {stage === 'failed' && <ErrorLine text={t('captcha.failed')} />}
      <Button
        variant="secondary"
        busy={stage === 'working'}
        busyLabel={t('captcha.working')}
        onClick={() => void solve()}
      >
        {t('captcha.start')}
      </Button>
    </>
  )
}

function SiteKeyTask({ sitekey, demand, onSolved }: CaptchaBoxProps & { sitekey: string }) {
  const t = useText()
  const { device } = useServices()
  const [failed, setFailed] = useState(false)
  // A state, so that React does not call this ref for each render.
  const [attach] = useState(() => (container: HTMLDivElement | null) => {
    if (!container) return
    void showRecaptcha(device, container, { sitekey, callback: onSolved }).then(shown => setFailed(!shown))
  })
  if (failed)
    return (
      <>
        <p>{t('captcha.loadFailed')}</p>
        <Button variant="secondary" onClick={() => setFailed(false)}>
          {t('button.retry')}
        </Button>
      </>
    )
  return (
    <>
      {demand.statusCode === wrongAnswer && <ErrorLine text={t('captcha.failed')} />}
      <div ref={attach} />
    </>
  )
}
