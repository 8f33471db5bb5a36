/** Parses a JSON text. Undefined when the text is not JSON; the caller checks the value, because it may come from anywhere. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
