import { useState, useSyncExternalStore } from 'react'
import type { Call } from '#api/client.ts'
import { defaultCodeSeconds } from '#contract/codes.ts'
import type { CaptchaOffer } from '#contract/session.ts'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { Button } from '#ui/button.tsx'
import { Loader } from '#ui/loader.tsx'
import { Panel } from '#ui/panel.tsx'
import { isOff } from './captcha-offer.ts'
import type { CaptchaDemand } from './code-request.ts'
import type { Countdown } from './countdown.ts'
import { showRecaptcha } from './recaptcha.ts'
import { useSecondsLeft } from './seconds-left.ts'

type CaptchaBoxProps = { demand: CaptchaDemand; onSolved: (answer: string) => void }

/** The server wants to be sure that a person asks (SIG12): built in place, with what the server names (D24). */
export function CaptchaBox(props: CaptchaBoxProps) {
  const { wait } = props.demand
  return wait ? <CaptchaWait key={props.demand.round} wait={wait} /> : <CaptchaCheck {...props} />
}

/**
 * No captcha helps, but time: how long is shown, and only the reason is spoken, not each second. More than the pause
 * between two codes is a limit of an hour or a day.
 */
function CaptchaWait({ wait }: { wait: Countdown }) {
  const t = useText()
  const seconds = useSecondsLeft(wait)
  return (
    <>
      <Panel announce>{t(wait.length > defaultCodeSeconds ? 'captcha.tooMany' : 'captcha.justAsked')}</Panel>
      <p>
        <strong>{seconds > 0 ? t('captcha.wait', inLargestUnit(seconds)) : t('captcha.waitOver')}</strong>
      </p>
    </>
  )
}

function inLargestUnit(seconds: number): { count: number; unit: string } {
  if (seconds <= defaultCodeSeconds) return { count: seconds, unit: 'second' }
  const minutes = Math.ceil(seconds / 60)
  return minutes <= 60 ? { count: minutes, unit: 'minute' } : { count: Math.ceil(minutes / 60), unit: 'hour' }
}

function CaptchaCheck({ demand, onSolved }: CaptchaBoxProps) {
  const t = useText()
  const { captchaOffer } = useServices()
  const offer = useSyncExternalStore(captchaOffer.subscribe, captchaOffer.current, captchaOffer.current)
  const [isRetrying, setRetrying] = useState(false)

  async function retry() {
    setRetrying(true)
    await captchaOffer.reload()
    setRetrying(false)
  }

  // There is nothing to solve: time alone helps, and Continue tries again.
  if (isOff(offer.value)) return <Panel announce>{t('captcha.tooMany')}</Panel>
  return (
    <Panel announce tone={demand.answer === '' ? 'info' : 'success'} heading={t('captcha.heading')}>
      {demand.answer === '' && (
        <p>{t(demand.statusCode === tooManyForContact ? 'captcha.tooMany' : 'captcha.explain')}</p>
      )}
      {offer.state === 'asking' && !isRetrying && <Loader text={t('app.loading')} />}
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

/** What our server means by 9 (D20): this number or address has had its codes for now. */
const tooManyForContact = 9
const wrongAnswer = 8

function CaptchaTask({ offer, demand, onSolved }: CaptchaBoxProps & { offer: CaptchaOffer }) {
  const t = useText()
  if (demand.answer !== '') return <p>{t('captcha.done')}</p>
  if (typeof offer === 'string') return <SiteKeyTask sitekey={offer} onSolved={onSolved} />
  return <PuzzleTask firstFailed={demand.statusCode === wrongAnswer} onSolved={onSolved} />
}

type Stage = 'waiting' | 'working' | 'failed'

function PuzzleTask({ firstFailed, onSolved }: Pick<CaptchaBoxProps, 'onSolved'> & { firstFailed: boolean }) {
  const t = useText()
  const { call } = useServices()
  const [stage, setStage] = useState<Stage>(firstFailed ? 'failed' : 'waiting')

  async function work() {
    setStage('working')
    const answer = await solvePuzzleOfServer(call)
    setStage(answer === undefined ? 'failed' : 'waiting')
    if (answer !== undefined) onSolved(answer)
  }

  return (
    <>
      {stage === 'failed' && <p>{t('captcha.failed')}</p>}
      <Button
        variant="secondary"
        busy={stage === 'working'}
        busyLabel={t('captcha.working')}
        onClick={() => void work()}
      >
        {t('captcha.start')}
      </Button>
    </>
  )
}

async function solvePuzzleOfServer(call: Call): Promise<string | undefined> {
  const puzzle = await call('captchaChallenge')
  if (!puzzle.ok) return undefined
  const { solvePuzzle } = await import('./proof-of-work.ts')
  return solvePuzzle(puzzle.value)
}

function SiteKeyTask({ sitekey, onSolved }: Pick<CaptchaBoxProps, 'onSolved'> & { sitekey: string }) {
  const t = useText()
  const [failed, setFailed] = useState(false)
  // Made once: the widget must be drawn once into its place.
  const [draw] = useState(() => (place: HTMLDivElement | null) => {
    if (!place || place.hasChildNodes()) return
    void showRecaptcha(place, { sitekey, callback: onSolved }).then(shown => setFailed(!shown))
  })
  return (
    <>
      {failed && <p>{t('captcha.loadFailed')}</p>}
      <div ref={draw} />
    </>
  )
}
