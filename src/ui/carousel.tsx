import { useRef, useState, type ReactNode } from 'react'
import styles from './carousel.module.css'
import { Icon } from './icon.tsx'

interface CarouselItem {
  key: string
  content: ReactNode
}

interface CarouselProps {
  label: string
  /** The role as a screen reader speaks it: "carrousel". */
  roleDescription: string
  previousLabel: string
  nextLabel: string
  /** Returns "2 sur 4" in French. */
  formatPosition: (position: number, total: number) => string
  /** At least one. */
  items: readonly CarouselItem[]
}

/** Items side by side that the applicant scrolls by touch or with buttons. A single item has no buttons. */
export function Carousel({ label, items, ...texts }: CarouselProps) {
  const list = useRef<HTMLUListElement>(null)
  const [position, setPosition] = useState(0)
  const only = items.length === 1 ? items[0] : undefined
  if (only) return <>{only.content}</>

  const last = items.length - 1
  const shown = Math.min(position, last)

  function updatePosition() {
    if (list.current) setPosition(nearest(list.current))
  }

  function show(index: number) {
    const item = list.current?.children[index]
    if (!list.current || !(item instanceof HTMLElement)) return
    list.current.scrollTo({ left: item.offsetLeft - list.current.offsetLeft, behavior: 'smooth' })
  }

  return (
    <section className={styles.carousel} aria-label={label} aria-roledescription={texts.roleDescription}>
      <ul ref={list} className={styles.list} onScroll={updatePosition}>
        {items.map((item, index) => (
          <li
            key={item.key}
            className={styles.item}
            aria-label={texts.formatPosition(index + 1, items.length)}
          >
            {item.content}
          </li>
        ))}
      </ul>
      <div className={styles.bar}>
        <Arrow name="left" label={texts.previousLabel} atEnd={shown === 0} onClick={() => show(shown - 1)} />
        <p className={styles.position} aria-live="polite">
          {texts.formatPosition(shown + 1, items.length)}
        </p>
        <Arrow name="right" label={texts.nextLabel} atEnd={shown === last} onClick={() => show(shown + 1)} />
      </div>
    </section>
  )
}

interface ArrowProps {
  name: 'left' | 'right'
  label: string
  atEnd: boolean
  onClick: () => void
}

/** `atEnd`: the button is dimmed and does nothing. It is not `disabled`, so that it keeps the focus. */
function Arrow({ name, label, atEnd, onClick }: ArrowProps) {
  return (
    <button
      type="button"
      className={styles.arrow}
      aria-label={label}
      aria-disabled={atEnd || undefined}
      onClick={atEnd ? undefined : onClick}
    >
      <Icon name={name} />
    </button>
  )
}

function nearest(list: HTMLElement): number {
  const end = list.scrollWidth - list.clientWidth
  if (end <= 0) return 0
  // The browser may stop the scroll a fraction of a pixel before the end.
  if (list.scrollLeft >= end - 1) return list.children.length - 1
  const distances = [...list.children].map(item =>
    item instanceof HTMLElement ? Math.abs(item.offsetLeft - list.offsetLeft - list.scrollLeft) : Infinity,
  )
  return distances.indexOf(Math.min(...distances))
}
