/**
 * The first value of a callback or of a cancel function, and the handler of an event or of an error for which there is
 * nothing to do.
 */
export function doNothing(): void {}
