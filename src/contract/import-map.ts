/**
 * The element of a page with its import map, which translates the names of chunks to their files (D131). The build writes it,
 * the server allows its text by a hash, and the service worker fills it in.
 */
export const importMapElement = /<script type="importmap">([^<]*)<\/script>/
