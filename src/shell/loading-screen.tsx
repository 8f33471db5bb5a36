import { useText } from '#i18n/intl.ts'
import { WaitingPage } from '#ui/page.tsx'

/** Shown while the guard of a screen runs or its code loads. */
export function LoadingScreen() {
  return <WaitingPage text={useText()('app.loading')} />
}
