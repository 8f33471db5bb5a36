type Tested = { killer?: string; isByLimit?: boolean; line: number; from: string; to: string }
type Explained = { path: string }
export function explain(file: { path: string; mutants: readonly Tested[] }): Explained
export function describeReport(files: readonly Explained[]): string
