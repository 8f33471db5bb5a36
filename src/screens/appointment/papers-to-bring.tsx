import { useQuery } from '@tanstack/react-query'
import type { ApplicationId } from '#contract/ids.ts'
import { papersOfForm } from '#contract/papers.ts'
import { useText } from '#i18n/intl.ts'
import { useLoadedServices, useServerInfo } from '#app/services.ts'
import { PapersList } from '#summary/papers-list.tsx'
import { today } from '#summary/today.ts'
import { Disclosure } from '#ui/disclosure.tsx'

type PapersToBringProps = { appId: ApplicationId; officeCountry: string; date: string }

/** Lists the papers before the booking: an applicant who lacks one can choose a later day (F13). */
export function PapersToBring({ appId, officeCountry, date }: PapersToBringProps) {
  const t = useText()
  const services = useLoadedServices()
  // Renders the list again when the server has said which day it is.
  useServerInfo()
  const { data } = useQuery(services.queries.applicationData(appId))
  if (!data || officeCountry === '') return null
  const papers = papersOfForm(data, { day: date || today(services), officeCountry })
  return (
    <Disclosure summary={t('papers.count', { count: papers.length })}>
      <PapersList papers={papers} />
    </Disclosure>
  )
}
