export type AuditAnswer =
  | { kind: 'answered'; vulnerable: { name: string; severity: string; title: string }[] }
  | { kind: 'unanswered'; reason: string }

export function readAudit(text: string): AuditAnswer
export function judge(answers: { probe: AuditAnswer; production: AuditAnswer; all: AuditAnswer }): {
  exitCode: 0 | 1 | 2
  lines: string[]
}
