import { useQuery } from '@tanstack/react-query'
import { homeTimeZone } from '#contract/codes.ts'
import { dayIn } from '#contract/dates.ts'
import type { ApplicationId } from '#contract/ids.ts'
import { papersOfForm } from '#contract/papers.ts'
import { useText } from '#i18n/intl.ts'
import { useLoadedServices } from '#app/services.ts'
import { PapersList } from '#summary/papers-list.tsx'
import { Disclosure } from '#ui/disclosure.tsx'

type PapersToBringProps = { appId: ApplicationId; officeCountry: string; date: string }

/** Lists the papers before the booking: an applicant who lacks one can choose a later day (F13). */
export function PapersToBring({ appId, officeCountry, date }: PapersToBringProps) {
  const t = useText()
  const { device, queries } = useLoadedServices()
  const { data } = useQuery(queries.applicationData(appId))
  if (!data || officeCountry === '') return null
  const day = date || dayIn(homeTimeZone, new Date(device.now()))
  const papers = papersOfForm(data, { day, officeCountry })
  return (
    <Disclosure summary={t('papers.count', { count: papers.length })}>
      <PapersList papers={papers} />
    </Disclosure>
  )
}
