import { Link } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#portal/services.ts'
import type { Standing } from '#sync/standings.ts'
import { Panel } from '#ui/panel.tsx'
import { useFormParams } from './form-route.ts'

/** What became of a Submit that could not go at once (D33). */
export function SubmitStanding() {
  const { appId } = useFormParams()
  const { sync } = useServices()
  // One word, so that what is typed meanwhile draws nothing here.
  const fate = useSyncExternalStore(sync.subscribe, () => fateOf(sync.standing(appId)))
  return fate === 'none' ? null : <Told fate={fate} />
}

type Fate = 'none' | 'faulty' | 'waiting' | 'through'

/**
 * `faulty`: answers were changed after a Submit that still waits, and it cannot go with these; `through`: it had to
 * wait and was taken behind the applicant's back.
 */
function fateOf(standing: Standing): Fate {
  if (!('draft' in standing)) return 'none'
  const { submitted, faulty, delivered } = standing.draft
  if (submitted === true && faulty === true) return 'faulty'
  if (submitted === true && standing.kind === 'waiting') return 'waiting'
  return delivered === true && standing.kind === 'sent' ? 'through' : 'none'
}

function Told({ fate }: { fate: Exclude<Fate, 'none'> }) {
  const t = useText()
  const params = useFormParams()
  switch (fate) {
    case 'faulty':
      return (
        <Panel tone="warning" announce>
          {t('form.submitFaulty')}
        </Panel>
      )
    case 'waiting':
      return (
        <Panel tone="info" announce>
          {t('form.submitWaits')}
        </Panel>
      )
    case 'through':
      return (
        <Panel tone="success" announce>
          <p>{t('form.submitThrough')}</p>
          <Link to="/confirm/$appId/$appNumber" params={params}>
            {t('form.goToConfirm')}
          </Link>
        </Panel>
      )
  }
}
