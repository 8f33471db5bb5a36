import { useText } from '#i18n/intl.ts'
import { WaitingPage } from '#ui/page.tsx'

/** Shown while the guard of a screen runs or its code loads, when that takes longer than 600 ms (D136). */
export function LoadingScreen() {
  const t = useText()
  const text = t('app.loading')
  return <WaitingPage text={text} title={t('app.title', { page: text })} />
}
