import { Link } from '@tanstack/react-router'
import { useIntl } from 'react-intl'
import type { Language } from '#contract/codes.ts'
import { useText } from '#i18n/intl.ts'
import { toLanguage } from '#i18n/language.ts'
import { useServices } from '#app/services.ts'
import { SiteHeader } from '#ui/header.tsx'
import { LanguageSwitch } from '#ui/language-switch.tsx'

// The two words of the specification are the whole name; each is spoken in its own tongue.
const options = [
  { code: 'fr', label: 'FR', name: '' },
  { code: 'en', label: 'EN', name: '' },
] as const

/** Whose service it is, and its language (NAV18). */
export function PortalHeader() {
  const t = useText()
  const current = toLanguage(useIntl().locale)
  const { language, notices } = useServices()

  async function choose(chosen: Language) {
    try {
      await language.choose(chosen)
    } catch {
      // The other catalogue is a file of its own, and the line is down.
      notices.raise('warning', { key: 'notice.offline' })
    }
  }

  return (
    <SiteHeader brand={<Link to="/">{t('app.name')}</Link>} owner={t('app.tagline')}>
      <LanguageSwitch
        label={t('language.label')}
        options={options}
        current={current}
        onChoose={chosen => void choose(chosen)}
      />
    </SiteHeader>
  )
}
