/** The value of a callback or of a cancel function before there is something to do. */
export function doNothing(): void {}
