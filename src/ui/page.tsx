import { type ReactNode, useContext } from 'react'
import { HeadingTool } from './heading-tool.ts'
import { Loader } from './loader.tsx'
import styles from './page.module.css'

interface PageProps {
  heading: ReactNode
  lead?: ReactNode | undefined
  children?: ReactNode | undefined
}

/**
 * The content of one screen inside `main`. When the applicant comes to the screen, the focus moves to #heading, or to the
 * element with `data-first-focus` if there is one: the only field of the screen, or a summary of errors. `HeadingTool`: the
 * button that reads the page aloud. It reads headings, hints, errors, and each text that `data-listen` marks.
 */
export function Page({ heading, lead, children }: PageProps) {
  return (
    <div className={styles.page}>
      <div className={styles.head}>
        <h1 id="heading" className={styles.heading} tabIndex={-1}>
          {heading}
        </h1>
        {useContext(HeadingTool)}
      </div>
      {lead && (
        <div className={styles.lead} data-listen>
          {lead}
        </div>
      )}
      {children}
    </div>
  )
}

/** Moves the focus to the heading of the page, for example when the part of the page that had the focus is gone. */
export function focusHeading(): void {
  document.getElementById('heading')?.focus({ preventScroll: true })
}

/**
 * A page whose content is loading. Without a `title` the browser would show the title of the HTML file with which the
 * portal started: that of another page, perhaps in the other language.
 */
export function WaitingPage({ text, title }: { text: string; title: string }) {
  return (
    <div className={styles.page}>
      <title>{title}</title>
      <Loader text={text} />
    </div>
  )
}

interface SectionProps {
  /** With this id the heading names the section for screen readers. */
  headingId?: string | undefined
  heading: ReactNode
  /** Shown beside the heading, for example a link to change the section. */
  aside?: ReactNode | undefined
  children?: ReactNode | undefined
}

export function Section({ headingId, heading, aside, children }: SectionProps) {
  return (
    <section className={styles.section} aria-labelledby={headingId}>
      <div className={styles.sectionHead}>
        <h2 id={headingId}>{heading}</h2>
        {aside}
      </div>
      {children}
    </section>
  )
}
