/** Parses a JSON text; undefined when the text is not JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // The callers validate the value with schemas, which refuse undefined.
  }
}
