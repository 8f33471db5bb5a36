/** The page that answers every address of the portal. */
export const shellPage = '/index.html'

const dictionaryPath =
  /^\/api\/v1\/(?:dictionary\/[a-z-]+|applications\/countries|appointments\/countries(?:\/[^/]+\/cities)?|appointments\/offices)$/
const dictionaryParameters = new Set(['lg', 'region', 'department', 'cityId'])
const serverSegments = new Set(['.well-known', 'api', 'assets', 'health', 'icons', 'metrics', 'pay'])

/** Whether opening this address shows the portal; `/pay/…` (the card gateway's page) does not, `/payment/…` does. */
export function isPortalPage(url: URL): boolean {
  const segments = url.pathname.split('/')
  return !serverSegments.has(segments[1] ?? '') && !/\.[a-z]+$/.test(segments.at(-1) ?? '')
}

/** Lists that are the same for everybody (D35): never dates, slots or anything of an applicant. */
export function isDictionary(url: URL): boolean {
  return (
    dictionaryPath.test(url.pathname) &&
    [...url.searchParams.keys()].every(name => dictionaryParameters.has(name))
  )
}

/** pdf.js is three times the rest of the portal: kept once somebody has opened a receipt, not before. */
export function isPdfViewer(url: URL): boolean {
  return url.pathname.startsWith('/assets/pdf')
}
