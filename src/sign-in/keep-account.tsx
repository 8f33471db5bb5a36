import { useSyncExternalStore } from 'react'
import { isHandledByScreen } from '#api/result.ts'
import { formatMoment } from '#i18n/format-date.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServices } from '#app/services.ts'
import { Button } from '#ui/button.tsx'
import { passFocusToHeadingOnRemoval } from '#ui/move-focus.ts'
import { Panel } from '#ui/panel.tsx'
import { useBusy } from '#ui/use-busy.ts'

/** Says when the account will be deleted, and lets the owner keep it. Absent when no deletion was requested (D112). */
export function KeepAccount() {
  const t = useText()
  const language = useLanguage()
  const { call, notices, session } = useServices()
  const state = useSyncExternalStore(session.subscribe, session.state)
  const { busy, runOnce } = useBusy()
  const deletesAt = state.kind === 'signed-in' ? state.claims.deletesAt : undefined
  if (!deletesAt) return null

  async function keep() {
    const result = await call('keepAccount', { query: { lg: language } })
    if (result.ok && (await session.takeToken(result.value.data)))
      notices.raise('success', { key: 'notice.accountKept' })
    else if (!result.ok && isHandledByScreen(result.problem))
      notices.raise('warning', { key: 'notice.generic' })
  }

  return (
    <Panel tone="warning" heading={t('account.leaving', { moment: formatMoment(deletesAt, language) })}>
      <p>{t('account.leavingWhy')}</p>
      <Button
        ref={passFocusToHeadingOnRemoval}
        busy={busy}
        busyLabel={t('button.busy')}
        onClick={() => void runOnce(keep)}
      >
        {t('account.keep')}
      </Button>
    </Panel>
  )
}
