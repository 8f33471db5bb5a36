import { type ComponentProps, lazy, Suspense } from 'react'
import { loadWithRetry } from '#device/load-with-retry.ts'
import { useText } from '#i18n/intl.ts'
import { Loader } from '#ui/loader.tsx'

/** Loads this component when it is shown, because few applicants need it. */
const CaptchaBox = lazy(async () => {
  const file = await loadWithRetry(() => import('./captcha-box.tsx'))
  return { default: file.CaptchaBox }
})

/** Shows the captcha, or the time until the applicant may request the next code. */
export function Captcha(props: ComponentProps<typeof CaptchaBox>) {
  const t = useText()
  return (
    <Suspense fallback={<Loader text={t('app.loading')} />}>
      <CaptchaBox {...props} />
    </Suspense>
  )
}
