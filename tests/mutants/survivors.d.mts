type Survivor = { line: string; from?: string; to?: string; why: string }
/** By the path of the file. */
export const survivors: Readonly<Record<string, readonly Survivor[]>>
