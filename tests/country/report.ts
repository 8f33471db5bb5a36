/** Prints one line of figures, so that a run can be copied into docs/bench-server.md. */
export function printFigures(title: string, figures: Record<string, number>): void {
  const parts = Object.entries(figures).map(([name, value]) => `${name} ${value}`)
  process.stdout.write(`\n${title}: ${parts.join(', ')}\n`)
}
