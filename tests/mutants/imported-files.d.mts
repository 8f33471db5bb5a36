/** These files and all that they import, as paths in the repository, sorted. */
export function listImportedFiles(files: readonly string[]): string[]
