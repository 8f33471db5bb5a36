import { type ReactNode, useState } from 'react'
import type { Language } from '#contract/codes.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { PageLink } from '#app/page-link.tsx'
import { usePublicInfo, useServices } from '#app/services.ts'
import { helpLinkClass, SiteHeader } from '#ui/header.tsx'
import { LanguageSwitch } from '#ui/language-switch.tsx'

// The specification prescribes these two labels. A screen reader speaks FR in French and EN in English.
const options = [
  { code: 'fr', label: 'FR' },
  { code: 'en', label: 'EN' },
] as const

/**
 * The name of the service, its issuer, the link to the help and the language switch (NAV18). On a kiosk `office` is the
 * name of its office, and `action` the button that ends the visit, or this button and the dialog that ends the kiosk
 * mode.
 */
export function PortalHeader({ office, action }: { office: ReactNode; action: ReactNode }) {
  const t = useText()
  const current = useLanguage()
  const { language, notices } = useServices()
  const [loading, setLoading] = useState<Language>()

  async function choose(chosen: Language) {
    setLoading(chosen)
    try {
      await language.choose(chosen)
    } catch {
      // The other catalogue has files of its own, and one of them did not load.
      notices.raise('warning', { key: 'notice.offline' })
    }
    // A language that was chosen since may still load.
    setLoading(now => (now === chosen ? undefined : now))
  }

  return (
    <SiteHeader
      brand={<PageLink to="/">{t('app.name')}</PageLink>}
      {...useIssuer()}
      office={office}
      action={action}
    >
      <PageLink to="/help" className={helpLinkClass}>
        {t('app.help')}
      </PageLink>
      <LanguageSwitch
        label={t('language.label')}
        options={options}
        current={current}
        busy={loading}
        text={t('app.loading')}
        onChoose={chosen => void choose(chosen)}
      />
    </SiteHeader>
  )
}

/**
 * The emblem, the country and the authority of the configuration (NAV28), or the word for the demo. A neutral text
 * until the server has answered, unless the device has saved an earlier answer, and when the configuration has no
 * names.
 */
function useIssuer(): { issuer: string; emblem?: string | undefined } {
  const t = useText()
  const info = usePublicInfo()
  if (info.isDemo === true) return { issuer: t('app.demo') }
  const names = [info.issuer?.state, info.issuer?.authority].filter(Boolean)
  return { issuer: names.length > 0 ? names.join(' · ') : t('app.purpose'), emblem: info.issuer?.emblem }
}
