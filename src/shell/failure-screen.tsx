import { unloadWarning } from '#device/unload-warning.ts'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { Frame } from '#ui/frame.tsx'
import { SiteFooter } from '#ui/footer.tsx'
import { SiteHeader } from '#ui/header.tsx'
import { Page } from '#ui/page.tsx'
import { SkipLink } from '#ui/skip-link.tsx'

/**
 * This page is shown after every uncaught error of a screen, also of an entry page without the router, and at the start
 * of a page that needs the router, when the file of the router did not load. Before a press it calls no function of the
 * services, so that it cannot fail the same way. When a reload would lose answers, its button opens the list of
 * applications instead.
 */
export function FailureScreen() {
  const t = useText()
  const { navigation } = useServices()
  const wouldLoseAnswers = unloadWarning.state()
  const page = t('failure.heading')
  return (
    <Frame
      skipLink={<SkipLink text={t('app.skip')} />}
      header={
        <SiteHeader
          brand={wouldLoseAnswers ? t('app.name') : <a href="/">{t('app.name')}</a>}
          issuer={t('app.purpose')}
        />
      }
      footer={<SiteFooter>{t('app.purpose')}</SiteFooter>}
    >
      <Page heading={page} lead={t(wouldLoseAnswers ? 'failure.unsaved' : 'failure.lead')}>
        <title>{t('app.title', { page })}</title>
        <ButtonRow>
          {wouldLoseAnswers ? (
            <Button onClick={() => void navigation.go('/procedure')}>{t('button.back')}</Button>
          ) : (
            <Button onClick={() => location.reload()}>{t('failure.reload')}</Button>
          )}
        </ButtonRow>
      </Page>
    </Frame>
  )
}
