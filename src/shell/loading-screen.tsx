import { useText } from '#i18n/intl.ts'
import { WaitingPage } from '#ui/page.tsx'

/** Stands in for a screen whose guard or code is still on its way. */
export function LoadingScreen() {
  return <WaitingPage text={useText()('app.loading')} />
}
