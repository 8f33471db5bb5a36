import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'

/** While a page of the session is shown, Back in the browser opens the list instead of an empty form of the sign-in (S50). */
export function useListOnBack(): void {
  const { history } = useRouter()
  useEffect(
    () =>
      // Each page of `entryPaths` but the welcome page; an import of `entryPaths` would cost more bytes here.
      history.subscribe(({ location, action }) => {
        if (action.type !== 'PUSH' && /^\/(?:mobile|mail|password)$/.test(location.pathname))
          history.replace('/procedure')
      }),
    [history],
  )
}
