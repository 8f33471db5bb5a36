/** Parses a JSON text; undefined when the text is not JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // The caller checks the shape of the value, and undefined has none.
  }
}
