import { type ComponentProps, lazy, Suspense } from 'react'
import { loadWithRetry } from '#device/load-with-retry.ts'
import { useText } from '#i18n/intl.ts'
import { Loader } from '#ui/loader.tsx'

/** Loads the captcha's code when the captcha is shown, because few applicants get one. */
const CaptchaBox = lazy(async () => {
  const file = await loadWithRetry(() => import('./captcha-box.tsx'))
  return { default: file.CaptchaBox }
})

export function Captcha(props: ComponentProps<typeof CaptchaBox>) {
  const t = useText()
  return (
    <Suspense fallback={<Loader text={t('app.loading')} />}>
      <CaptchaBox {...props} />
    </Suspense>
  )
}
