import { type ComponentProps, lazy, Suspense, useState } from 'react'
import { loadWithRetry } from '#device/load-with-retry.ts'
import { useText } from '#i18n/intl.ts'
import type { LanguageSource } from '#i18n/language.ts'
import { useServices } from '#app/services.ts'
import { Loader } from '#ui/loader.tsx'

/**
 * Returns a component that loads the captcha and its messages, which are in the group `help`, when it is shown: few applicants
 * need them.
 */
function loadCaptchaBox(language: LanguageSource) {
  return lazy(async () => {
    const [file] = await Promise.all([
      loadWithRetry(() => import('./captcha-box.tsx')),
      language.loadMessages('help'),
    ])
    return { default: file.CaptchaBox }
  })
}

/** Shows the captcha, or how long to wait for the next code when a solved captcha would not shorten this wait. */
export function Captcha(props: ComponentProps<ReturnType<typeof loadCaptchaBox>>) {
  const t = useText()
  const { language } = useServices()
  const [CaptchaBox] = useState(() => loadCaptchaBox(language))
  return (
    <Suspense fallback={<Loader text={t('app.loading')} />}>
      <CaptchaBox {...props} />
    </Suspense>
  )
}
