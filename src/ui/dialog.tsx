import { useContext, useEffect, useId, useRef, type ReactNode } from 'react'
import styles from './dialog.module.css'
import { HeadingTool } from './heading-tool.ts'

interface DialogProps {
  open: boolean
  heading: string
  children: ReactNode
  actions?: ReactNode | undefined
  /** Called on Escape and on the back gesture. */
  onClose: () => void
  /** 'alertdialog' for a warning that needs an answer. */
  role?: 'dialog' | 'alertdialog' | undefined
}

/** A modal dialog. */
export function Dialog({ open, heading, children, actions, onClose, role }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const tool = useContext(HeadingTool)

  // An effect, because the browser controls whether a modal dialog is open.
  useEffect(() => {
    if (!open) return undefined
    const element = dialog.current
    show(element)
    return () => hide(element)
  }, [open])

  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      role={role}
      aria-labelledby={`${id}-heading`}
      aria-describedby={`${id}-content`}
      aria-modal="true"
      onCancel={event => {
        event.preventDefault()
        onClose()
      }}
    >
      {open && (
        <div className={styles.sheet}>
          <div className={styles.head}>
            <h2 id={`${id}-heading`} className={styles.heading} tabIndex={-1}>
              {heading}
            </h2>
            {tool}
          </div>
          <div id={`${id}-content`} className={styles.content} data-listen>
            {children}
          </div>
          {actions && <div className={styles.actions}>{actions}</div>}
        </div>
      )}
    </dialog>
  )
}

/** All supported browsers have `showModal`. In an older one the `open` attribute shows the dialog, without a backdrop. */
function show(element: HTMLDialogElement | null) {
  if (!element || element.open) return
  if (typeof element.showModal === 'function') {
    element.showModal()
    return
  }
  element.setAttribute('open', '')
  element.querySelector('h2')?.focus()
}

function hide(element: HTMLDialogElement | null) {
  if (!element) return
  if (typeof element.close === 'function') {
    if (element.open) element.close()
    return
  }
  element.removeAttribute('open')
}
