import { Link, useParams } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import { useId, useSyncExternalStore } from 'react'
import type { ApplicationData } from '#contract/application.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useLoadedServices } from '#app/services.ts'
import { tabAddresses } from '#app/tab-addresses.ts'
import { useNavigateUnlessLeft } from '#app/use-navigate-unless-left.ts'
import { ApplicationNumber } from '#summary/application-number.tsx'
import { LoadFailed } from '#summary/load-failed.tsx'
import { summaryNames } from '#summary/summary-names.ts'
import { SummaryRows } from '#summary/summary-rows.tsx'
import { type SummarySection, summarySections } from '#summary/summary-sections.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { Loader } from '#ui/loader.tsx'
import { Page, Section } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import { useBusy } from '#ui/use-busy.ts'
import { useConfirm } from './use-confirm.ts'

/** Shows the data of the server once more before the applicant confirms them (CNF01). */
export function ConfirmScreen() {
  const t = useText()
  const heading = t('confirm.heading')
  const { appNumber } = useConfirmParams()
  return (
    <Page
      heading={heading}
      lead={
        <>
          <p>{t('confirm.lead')}</p>
          <p data-private>
            <ApplicationNumber number={appNumber} />
          </p>
        </>
      }
    >
      <title>{t('app.title', { page: heading })}</title>
      <Content />
    </Page>
  )
}

function Content() {
  const t = useText()
  const { appId } = useConfirmParams()
  const { queries } = useLoadedServices()
  const language = useLanguage()
  const data = useQuery(queries.applicationData(appId))
  const countries = useQuery(queries.countries(language))
  const occupations = useQuery(queries.professions(language))
  const draft = useDraftReadability()
  if (data.isError && !data.isFetching) return <LoadFailed onRetry={() => void data.refetch()} />
  // The data of an earlier visit may be stale, so the screen waits for the new response.
  const outdated = data.isFetching && !data.isFetchedAfterMount
  // A list that cannot be loaded does not stop the screen: the summary then shows ids.
  if (!data.data || outdated || countries.isPending || occupations.isPending)
    return <Loader text={t('app.loading')} />
  const names = summaryNames(t, { language, countries: countries.data, occupations: occupations.data })
  return (
    <>
      {summarySections(data.data, names).map(section => (
        <ReviewedSection key={section.name} section={section} />
      ))}
      {draft.isUnreadable && (
        <Panel tone="warning" announce>
          {t('confirm.unreadable')}
        </Panel>
      )}
      {/* A panel that appears later may be unread at the press, so it does not count as a warning. */}
      <Actions data={data.data} isWarned={draft.wasUnreadableAtStart} />
    </>
  )
}

/**
 * Whether this device may have answers that it cannot read, now and when the screen was opened. If so, the screen warns the
 * applicant before the press (D74).
 */
function useDraftReadability(): { isUnreadable: boolean; wasUnreadableAtStart: boolean } {
  const { appId } = useConfirmParams()
  const { sync } = useLoadedServices()
  // Each visit reads for itself: the storage may have failed since an earlier visit started its read.
  const visit = useId()
  const atStart = useQuery({
    queryKey: ['draft-at-start', appId, visit],
    queryFn: () => sync.read(appId),
    staleTime: 0,
    gcTime: 0,
  })
  const isRead = atStart.isFetchedAfterMount
  const isUnreadable = useSyncExternalStore(sync.subscribe, () => sync.status(appId).kind === 'unreadable')
  return {
    isUnreadable: isUnreadable && isRead,
    wasUnreadableAtStart: isRead && atStart.data?.kind === 'unreadable',
  }
}

function ReviewedSection({ section }: { section: SummarySection }) {
  const t = useText()
  const heading = t(`section.${section.name}`)
  return (
    <Section
      headingId={`${section.name}-heading`}
      heading={heading}
      aside={
        <Link
          to={tabAddresses[section.tab]}
          params={useConfirmParams()}
          aria-label={t('confirm.change', { section: heading })}
        >
          {t('confirm.changeShort')}
        </Link>
      }
    >
      <SummaryRows rows={section.rows} />
    </Section>
  )
}

type ActionsProps = { data: ApplicationData; isWarned: boolean }

function Actions({ data, isWarned }: ActionsProps) {
  const t = useText()
  const params = useConfirmParams()
  const navigate = useNavigateUnlessLeft()
  const { busy, runOnce } = useBusy()
  const confirm = useConfirm(params.appId)

  async function goForward() {
    if (await confirm(data, { isWarned })) await navigate({ to: '/payment/$appId/$appNumber', params })
  }

  return (
    <ButtonRow>
      <Button busy={busy} busyLabel={t('button.busy')} onClick={() => void runOnce(goForward)}>
        {t('button.confirm')}
      </Button>
      <Button variant="secondary" onClick={() => void navigate({ to: tabAddresses.GeneralData, params })}>
        {t('button.changeData')}
      </Button>
    </ButtonRow>
  )
}

function useConfirmParams() {
  return useParams({ from: '/signed-in/confirm/$appId/$appNumber' })
}
