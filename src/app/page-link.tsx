import type { ComponentProps, MouseEvent } from 'react'
import type { LinkedPath } from './navigation.ts'
import { usePathname, useServices } from './services.ts'

type PageLinkProps = Omit<ComponentProps<'a'>, 'href' | 'onClick'> & { to: LinkedPath }

/** A link to another page, also on the entry pages, which have no router. */
export function PageLink({ to, children, ...anchor }: PageLinkProps) {
  const { navigation } = useServices()
  const isCurrent = usePathname() === to

  function press(event: MouseEvent) {
    // The browser handles such a press: it opens another tab or window, or saves the page.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    void navigation.go(to)
  }

  return (
    <a {...anchor} href={to} aria-current={isCurrent ? 'page' : undefined} onClick={press}>
      {children}
    </a>
  )
}
