/**
 * Matches the element with the import map in a page; group 1 is the text of the map. The map translates the names of chunks
 * to their files (D131). The build writes the map into each page, and the server's Content-Security-Policy allows it by a
 * hash. In the prerendered pages for the service worker the element is empty; the service worker fills the map of the
 * cached `index.html` into it.
 */
export const importMapElement = /<script type="importmap">([^<]*)<\/script>/
