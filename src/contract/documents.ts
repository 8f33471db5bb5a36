import {
  additionalPassport,
  firstPassport,
  lostPassport,
  nicChoices,
  noNic,
  stolenPassport,
} from './codes.ts'
import { dateIssue } from './date-issue.ts'
import { choice, dateText, isBlank, text } from './fields.ts'
import type { Issue } from './issues.ts'

/** The Documents tab (DOC12): the national identity card (`nic`) and the previous passport (`epp`). */
export const documentsFields = {
  selectNic: choice(nicChoices),
  nicNumber: text(50),
  nicPlaceOfIssuance: text(100),
  nicDateOfIssuance: dateText(),
  nicDateOfExpiry: dateText(),
  eppNumber: text(12),
  eppDateOfIssuance: dateText(),
}
export type DocumentsName = keyof typeof documentsFields

/** Whether an application for this reason can name or must name the previous passport (DOC07–DOC09, S58). */
export function previousPassport(reason: string): 'none' | 'optional' | 'mandatory' {
  if (reason === firstPassport || reason === '') return 'none'
  return reason === additionalPassport ? 'optional' : 'mandatory'
}

/** Whether the applicant no longer has the previous passport. */
export function isPassportGone(reason: string): boolean {
  return reason === lostPassport || reason === stolenPassport
}

export function hasNic(selectNic: string): boolean {
  return selectNic !== '' && selectNic !== noNic
}

export function documentsIssues(
  values: Record<DocumentsName, string>,
  { reason, today }: { reason: string; today: string },
): Issue<DocumentsName>[] {
  const issues: Issue<DocumentsName>[] = isBlank(values.selectNic)
    ? [{ field: 'selectNic', code: 'required' }]
    : []
  return [
    ...issues,
    ...(hasNic(values.selectNic) ? nicIssues(values, today) : []),
    ...previousPassportIssues(values, { reason, today }),
  ]
}

/**
 * DOC03–DOC05, DOC10, S26. Accepts a card that was issued on the day of its expiry (S03), one that expires today (S73), and
 * an empty place of issuance.
 */
function nicIssues(values: Record<DocumentsName, string>, today: string): Issue<DocumentsName>[] {
  const issues: Issue<DocumentsName>[] = isBlank(values.nicNumber)
    ? [{ field: 'nicNumber', code: 'required' }]
    : []
  // What is wrong with each date; undefined when nothing is.
  const issuance = dateIssue(values.nicDateOfIssuance)
  const expiry = dateIssue(values.nicDateOfExpiry)
  if (issuance) issues.push({ field: 'nicDateOfIssuance', code: issuance })
  else if (values.nicDateOfIssuance > today)
    issues.push({ field: 'nicDateOfIssuance', code: 'date-in-future' })
  else if (!expiry && values.nicDateOfIssuance > values.nicDateOfExpiry)
    issues.push({ field: 'nicDateOfIssuance', code: 'issuance-after-expiry' })
  if (expiry) issues.push({ field: 'nicDateOfExpiry', code: expiry })
  else if (values.nicDateOfExpiry < today) issues.push({ field: 'nicDateOfExpiry', code: 'expiry-past' })
  return issues
}

function previousPassportIssues(
  values: Record<DocumentsName, string>,
  { reason, today }: { reason: string; today: string },
): Issue<DocumentsName>[] {
  const requirement = previousPassport(reason)
  const untouched = isBlank(values.eppNumber) && isBlank(values.eppDateOfIssuance)
  if (requirement === 'none' || (requirement === 'optional' && untouched)) return []
  const issues: Issue<DocumentsName>[] = isBlank(values.eppNumber)
    ? [{ field: 'eppNumber', code: 'required' }]
    : []
  // What is wrong with the date; undefined when nothing is.
  const date = dateIssue(values.eppDateOfIssuance)
  if (date) issues.push({ field: 'eppDateOfIssuance', code: date })
  else if (values.eppDateOfIssuance > today)
    issues.push({ field: 'eppDateOfIssuance', code: 'date-in-future' })
  return issues
}
