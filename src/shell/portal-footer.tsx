import { useText } from '#i18n/intl.ts'
import { PageLink } from '#app/page-link.tsx'
import { useServerInfo } from '#app/services.ts'
import { SiteFooter } from '#ui/footer.tsx'

const release = String(import.meta.env['VITE_RELEASE'] ?? '')

/**
 * The links to the legal pages (NAV27), the portal's release (NAV22), and the server's version (NAV23) when it is known
 * and differs from the release (S16).
 */
export function PortalFooter() {
  const t = useText()
  const version = useServerInfo().value?.version
  return (
    <SiteFooter>
      <PageLink to="/legal">{t('footer.legal')}</PageLink>
      <PageLink to="/accessibility">{t('footer.accessibility')}</PageLink>
      <PageLink to="/privacy">{t('footer.privacy')}</PageLink>
      <span>{t('footer.release', { release })}</span>
      {version !== undefined && version !== release && <span>{t('footer.server', { version })}</span>}
    </SiteFooter>
  )
}
