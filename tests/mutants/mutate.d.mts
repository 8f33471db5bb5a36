type Mutant = { start: number; end: number; to: string; from: string; line: number }
export function listMutants(
  path: string,
  text: string,
  parts?: { without?: readonly string[]; only?: readonly string[] },
): Mutant[]
export function applyMutant(text: string, mutant: Pick<Mutant, 'start' | 'end' | 'to'>): string
