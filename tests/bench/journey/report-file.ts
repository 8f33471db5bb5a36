import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { countingRules } from './applicant-work.ts'

const file = fileURLToPath(new URL('../../../docs/bench-journey.md', import.meta.url))

/** The parts of the report in their order. A run writes only the parts that it measured. */
export const partHeadings = {
  counts: 'A. The work of the applicant',
  slow: 'B. On a slow network',
  worst: 'B. On a worse network',
  warm: 'B. On a slow network, installed and warm',
  month: 'C. The data of a month',
} as const

export type PartName = keyof typeof partHeadings
export const partNames = Object.keys(partHeadings) as PartName[] // Object.keys loses the type of the keys

const introduction = `# Bench of the journey

An applicant goes the whole way in French on a screen of 360 × 640: welcome page, sign-in by phone, first passport with a
new identity card, payment by mobile money with the simulators of the demo, appointment, receipt.

\`npm run bench:journey\` repeats part A and “B. On a slow network”. The options \`-- --counts\`, \`-- --slow\`, \`-- --worst\`,
\`-- --warm\` and \`-- --month\` choose parts. Each part tells the date of its run. A part with times is written only when other programs
use little of the machine before and after the run.

How part A counts:

${countingRules.map(rule => `- ${rule}`).join('\n')}

How part B measures: HTTP/2 over TLS 1.3 through a slow proxy, CPU ÷ 4 in the page. The applicant reads each screen for 3 s,
and pauses 1 s before each tap, choice or text and 0.2 s for a key. A wait lasts from the tap until the next screen shows its
heading and its main button can be used, until a list has the wanted option, or from the decision of the payer until the page
says paid. Bytes include headers and encryption. Requests in a row:
the longest chain of requests of the page between tap and usable screen that do not overlap, an approximation of the
round trips. The files that the service worker caches for later are in the bytes, not in the chain. Wait ÷ network: the wait
divided by the time that the network itself needs for the chain and the bytes, and for the welcome page also for the two round
trips that open the connection (TCP and TLS). The longest task is the longest one of the page's main thread from the tap to
the next. The receipt is timed from the tap to its QR code, on a page that is opened again: first without a connection, then
with one.
`

/** Replaces these parts in docs/bench-journey.md and keeps the others. */
export function writeParts(parts: ReadonlyMap<PartName, string>): void {
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  writeFileSync(file, joinParts(before, parts))
}

/** Returns the report with the present introduction, the new parts, and the others as they were. */
export function joinParts(before: string, parts: ReadonlyMap<PartName, string>): string {
  const old = readParts(before)
  const written = partNames.flatMap(name => {
    const text = parts.get(name) ?? old.get(partHeadings[name])
    return text === undefined ? [] : [`## ${partHeadings[name]}\n\n${text.trim()}\n`]
  })
  return [introduction, ...written].join('\n')
}

/** The texts of the parts by their headings. */
function readParts(report: string): Map<string, string> {
  const sections = report.split(/^## /m).slice(1)
  return new Map(
    sections.map(section => {
      const end = section.indexOf('\n')
      return [section.slice(0, end), section.slice(end)]
    }),
  )
}
