import { useText } from '#i18n/intl.ts'
import { useServerInfo } from '#app/services.ts'
import { SiteFooter } from '#ui/footer.tsx'

const release = String(import.meta.env['VITE_RELEASE'] ?? '')

/**
 * The portal's release and the server's version (NAV22, NAV23): once when they are equal. Without a version the line is
 * left out (S16).
 */
export function PortalFooter() {
  const t = useText()
  const version = useServerInfo().value?.version
  return (
    <SiteFooter>
      <span>{t('app.official')}</span>
      <span>{t('footer.release', { release })}</span>
      {version !== undefined && version !== release && <span>{t('footer.server', { version })}</span>}
      <span>{t('footer.divisions')}</span>
    </SiteFooter>
  )
}
