import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const isFull = process.env.FULL === '1'

/** A Vitest reporter that counts the cases of each project and lists what is skipped or sampled. */
export function createCountReporter() {
  /** The input of summary.mjs. */
  const report = {
    /** `{ project, passed, failed, skipped }` for each project. */
    projects: [],
    /** `{ file, count, reason }` for each file with skipped cases and each reason. */
    skipped: [],
    /** Test files that run only a sample of their cases without FULL=1. */
    sampled: [],
  }

  return {
    report,
    onTestRunEnd(modules, errors) {
      for (const module of modules) addModule(report, module)
      // An error outside any test, such as an unhandled rejection, counts as one failed case.
      if (errors.length > 0) countOf(report, 'outside any test').failed += errors.length
    },
  }
}

function addModule(report, module) {
  const file = relative(process.cwd(), module.moduleId)
  const count = countOf(report, module.project.name)
  const reasons = new Map()
  const isSampled = !isFull && readFileSync(module.moduleId, 'utf8').includes('isFull')
  let failed = 0
  for (const test of module.children.allTests()) {
    const { state, note } = test.result()
    if (state === 'passed') count.passed += 1
    else if (state === 'skipped') {
      const reason = note ?? (isSampled ? 'only with FULL=1' : 'because its condition is not met')
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
    } else failed += 1 // also `pending`: a test that never ended
  }
  // When a file fails to load or a hook fails, Vitest reports no failed test.
  if (!module.ok() && failed === 0) failed = 1
  count.failed += failed
  for (const [reason, number] of reasons) {
    count.skipped += number
    report.skipped.push({ file, count: number, reason })
  }
  if (isSampled) report.sampled.push(file)
}

function countOf(report, project) {
  const known = report.projects.find(each => each.project === project)
  if (known !== undefined) return known
  const count = { project, passed: 0, failed: 0, skipped: 0 }
  report.projects.push(count)
  return count
}
