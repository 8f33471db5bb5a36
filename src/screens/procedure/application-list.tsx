import { useState } from 'react'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { useNavigateUnlessLeft } from '#app/use-navigate-unless-left.ts'
import { Carousel } from '#ui/carousel.tsx'
import type { Application } from './application-card.tsx'
import { DeletableCard } from './deletable-card.tsx'
import { useDeletions } from './use-deletion.ts'
import styles from './procedure-screen.module.css'

type ApplicationListProps = {
  applications: readonly Application[]
  reload: () => Promise<readonly Application[] | undefined>
}

export function ApplicationList({ applications, reload }: ApplicationListProps) {
  const t = useText()
  const { notices } = useServices()
  const navigate = useNavigateUnlessLeft()
  const [searching, setSearching] = useState(false)
  const deletionOf = useDeletions()

  /** A deleted application comes last. One that is deleted during this visit keeps its place, so the focus stays. */
  const isLast = ({ id, currentState }: Application) =>
    currentState === 'DELETED' && deletionOf(id).state() === 'none'
  const sorted = [...applications.filter(each => !isLast(each)), ...applications.filter(isLast)]

  /** Reads the list again. Opens the final page if the new list has the appointment, else raises a notice (S49). */
  async function findAppointment(application: Application) {
    setSearching(true)
    const found = (await reload())?.find(({ id }) => id === application.id)
    setSearching(false)
    if (!found?.appointment) return notices.raise('warning', { key: 'notice.generic' })
    const { id: appId, applicationNumber: appNumber, appointment } = found
    await navigate({
      to: '/final/$appId/$appNumber/$appointmentId',
      params: { appId, appNumber, appointmentId: appointment.id },
    })
  }

  return (
    <>
      <p className={styles.lead} data-listen>
        {t('procedure.lead')}
      </p>
      <Carousel
        label={t('procedure.list')}
        roleDescription={t('carousel.role')}
        previousLabel={t('button.previous')}
        nextLabel={t('button.next')}
        formatPosition={(position, total) => t('carousel.position', { position, total })}
        items={sorted.map(application => ({
          key: application.id,
          content: (
            <DeletableCard
              deletion={deletionOf(application.id)}
              application={application}
              busy={searching}
              onMissingAppointment={() => void findAppointment(application)}
            />
          ),
        }))}
      />
    </>
  )
}
