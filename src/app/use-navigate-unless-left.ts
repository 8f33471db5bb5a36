import { useLocation, useNavigate, useRouter } from '@tanstack/react-router'

/**
 * Like `useNavigate`, but the function does nothing while another page is open. For actions that navigate after an
 * answer of the server: a late answer must not take the applicant away from the page that they have opened since
 * (D137).
 */
export function useNavigateUnlessLeft(): ReturnType<typeof useNavigate> {
  const navigate = useNavigate()
  const hasLeft = useHasLeft()
  return async options => {
    if (!hasLeft()) await navigate(options)
  }
}

/** Returns a check that is true while the page of this render is not open: false again after the applicant's return. */
export function useHasLeft(): () => boolean {
  const router = useRouter()
  const renderedPath = useLocation({ select: ({ pathname }) => pathname })
  return () => router.latestLocation.pathname !== renderedPath
}
