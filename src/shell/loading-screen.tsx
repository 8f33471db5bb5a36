import { useText } from '#i18n/intl.ts'
import { Loader } from '#ui/loader.tsx'

/** Stands in for a screen whose guard or code is still on its way. */
export function LoadingScreen() {
  return <Loader text={useText()('app.loading')} />
}
