/** What a text says as JSON; undefined when it is none. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // whoever asks goes by what else there is, or by nothing
  }
}
