/** The page that the service worker sends for every address of the portal that is not prerendered. */
export const shellPage = '/index.html'

const dictionaryPath =
  /^\/api\/v1\/(?:dictionary\/[a-z-]+|applications\/countries|appointments\/countries(?:\/[^/]+\/cities)?|appointments\/offices)$/
const dictionaryParameters = new Set(['lg', 'region', 'department', 'cityId'])
const serverSegments = new Set([
  '.well-known',
  'api',
  'assets',
  'health',
  'icons',
  'metrics',
  'network',
  'pay',
  'ready',
])

/** Whether this URL is a page of the portal. The server itself renders the card pages `/pay/…`; `/payment/…` is the portal's. */
export function isPortalPage(url: URL): boolean {
  const segments = url.pathname.split('/')
  return !serverSegments.has(segments[1] ?? '') && !/\.[a-z]+$/.test(segments.at(-1) ?? '')
}

/** Whether this URL is a list that is the same for all applicants (D35): no dates, slots or personal data. */
export function isDictionary(url: URL): boolean {
  return (
    dictionaryPath.test(url.pathname) &&
    [...url.searchParams.keys()].every(name => dictionaryParameters.has(name))
  )
}

/** Whether this list belongs to the form. The lists of offices can change during a booking. */
export function isFormList({ pathname }: URL): boolean {
  return !pathname.startsWith('/api/v1/appointments/')
}

/** Whether this file belongs to pdf.js. Its files are large, so they are cached at their first use. */
export function isPdfViewer(url: URL): boolean {
  return url.pathname.startsWith('/assets/pdf')
}
