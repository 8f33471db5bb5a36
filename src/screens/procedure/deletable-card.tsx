import {
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { useText } from '#i18n/intl.ts'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { VisuallyHidden } from '#ui/visually-hidden.tsx'
import { ApplicationCard, type ApplicationCardProps, ApplicationName } from './application-card.tsx'
import styles from './application-card.module.css'
import type { Deletion } from './deletion.ts'
import { useMayDelete } from './use-deletion.ts'

/** The card of an application, with the button Delete while `useMayDelete` allows it (LST11). */
export function DeletableCard({ deletion, ...props }: ApplicationCardProps & { deletion: Deletion }) {
  const t = useText()
  const { application } = props
  const state = useSyncExternalStore(deletion.subscribe, deletion.state)
  const mayDelete = useMayDelete(application)
  const box = useRef<HTMLDivElement>(null)
  // Whether Delete was pressed with the keyboard or a screen reader: then the time stops while the focus is on Undo.
  const [byKeyboard, setByKeyboard] = useState(false)
  const [isUndone, setIsUndone] = useState(false)

  function start({ detail }: MouseEvent) {
    setByKeyboard(detail === 0)
    deletion.start()
  }

  function undo() {
    setIsUndone(true)
    deletion.undo()
  }

  const name = <ApplicationName application={application} />
  useEffect(() => {
    // The button Undo had the focus and was removed.
    if (state === 'deleted' && document.activeElement === document.body) box.current?.focus()
  }, [state])

  // `deleted`: the list was read again. A new list has the application in the state DELETED, or does not have it.
  const showsUndo = state === 'undoable' || state === 'deleting'
  return (
    <div ref={box} tabIndex={-1} className={styles.deletable}>
      <VisuallyHidden>
        <output>{showsUndo || state === 'deleted' ? t('procedure.deleted') : ''}</output>
      </VisuallyHidden>
      {showsUndo ? (
        <UndoCard {...{ deletion, name, byKeyboard, undo }} isDeleting={state === 'deleting'} />
      ) : (
        <ApplicationCard {...props}>
          {mayDelete && (
            <DeleteButton
              name={name}
              takesFocus={isUndone}
              onFocused={() => setIsUndone(false)}
              onClick={start}
            />
          )}
        </ApplicationCard>
      )}
    </div>
  )
}

type DeleteButtonProps = {
  name: ReactNode
  /** The applicant has just undone the deletion: the focus returns from the button Undo, which was removed. */
  takesFocus: boolean
  onFocused: () => void
  onClick: (event: MouseEvent) => void
}

function DeleteButton({ name, takesFocus, onFocused, onClick }: DeleteButtonProps) {
  const t = useText()
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!takesFocus) return
    button.current?.focus()
    onFocused()
  })
  return (
    <div className={styles.controls}>
      <Button ref={button} variant="quiet" onClick={onClick}>
        {t('procedure.delete')}
        <VisuallyHidden> – {name}</VisuallyHidden>
      </Button>
    </div>
  )
}

type UndoCardProps = {
  deletion: Deletion
  name: ReactNode
  byKeyboard: boolean
  isDeleting: boolean
  undo: () => void
}

function UndoCard({ deletion, name, byKeyboard, isDeleting, undo }: UndoCardProps) {
  const t = useText()
  const button = useRef<HTMLButtonElement>(null)

  useEffect(() => {
    button.current?.focus()
    // After a tap or a click the focus says nothing about the applicant's intent, so the time must run.
    if (!byKeyboard) deletion.resume('focus')
  }, [deletion, byKeyboard])

  function enter({ pointerType }: PointerEvent) {
    if (pointerType === 'mouse') deletion.pause('pointer')
  }

  return (
    <div className={styles.card}>
      <Card heading={name}>
        <p className={styles.hint}>
          <strong>{t('procedure.deleted')}</strong> {!isDeleting && t('procedure.undoLead')}
        </p>
        <div
          className={styles.controls}
          // A browser also focuses the button again when its window comes back after a tap.
          onFocus={({ target }) =>
            (byKeyboard || target.matches(':focus-visible')) && deletion.pause('focus')
          }
          onBlur={() => deletion.resume('focus')}
          onPointerEnter={enter}
          onPointerLeave={() => deletion.resume('pointer')}
        >
          <Button
            ref={button}
            variant="secondary"
            busy={isDeleting}
            busyLabel={t('procedure.deleting')}
            onClick={undo}
          >
            {t('procedure.undo')}
            <VisuallyHidden> – {name}</VisuallyHidden>
          </Button>
        </div>
      </Card>
    </div>
  )
}
