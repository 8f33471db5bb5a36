/**
 * The mutants that survive the tests which targets.mjs lists for their file, each with its reason. `line` is a part of the
 * line of the source. A reason is for every mutant of the line. With `from` it is only for mutants that replace this text,
 * with `to` only for mutants that put in this text.
 */
export const survivors = {
  'server/calls/rate-limit.ts': [
    {
      line: 'let nextSweepMs = 0',
      why: 'Every time of the clock is later than 0 and than the value of the mutant.',
    },
    { line: 'if (now >= nextSweepMs)', to: 'true', why: 'More sweeps drop the same askers, and cost time.' },
    { line: 'nextSweepMs = now + sweepMs', from: '+', to: '-', why: 'More sweeps drop the same askers.' },
    {
      line: 'const isAllowed = available >= 1',
      from: '<',
      to: '<=',
      why: 'With the cost 0 both branches keep what is available.',
    },
    {
      line: 'const isAllowed = available >= 1',
      from: '0',
      to: '1',
      why: 'With the cost 0 both branches keep what is available.',
    },
    {
      line: 'return available >= 1 ? 0',
      from: '>=',
      to: '>',
      why: 'With exactly 1, the other branch computes 0 seconds too.',
    },
    {
      line: 'if (oldest !== undefined)',
      to: 'true',
      why: 'The map is not empty here; the compiler does not know that.',
    },
  ],
  'server/features/deletion/deletion-plan.ts': [
    {
      line: 'const day = daysLeft <= 0',
      from: '0',
      to: '1',
      why: 'One day before, tomorrow is the planned day.',
    },
    { line: "case 'READY_FOR_CM':", why: 'A state without a case has no cause either.' },
    { line: "case 'SENT_TO_CM':", why: 'A state without a case has no cause either.' },
    { line: "case 'FAILED':", why: 'A state without a case has no cause either.' },
    { line: "case 'DELETED':", why: 'A state without a case has no cause either.' },
    { line: 'return undefined', to: '', why: 'A function that ends returns undefined.' },
    { line: 'return one > other', from: '>', to: '>=', why: 'Of two equal days, each is the later one.' },
  ],
  'server/features/appointments/hold-place.ts': [
    {
      line: 'if (replaces === undefined) return sql`true`',
      from: 'replaces === undefined',
      to: 'true',
      why: 'The rule is checked before too. A race in appointments/rules-under-lock.test.ts, not in targets.mjs, fails.',
    },
    {
      line: 'changes_used < ${changeLimit}`',
      from: '<',
      to: '<=',
      why: 'The rule is checked before too. A race in appointments/rules-under-lock.test.ts, not in targets.mjs, fails.',
    },
    {
      line: 'place.seat <= ${opening?.capacity ?? 0}',
      from: '?.capacity',
      why: 'A place is looked for in an opening only; the general queue has no places.',
    },
    {
      line: 'place.seat <= ${opening?.capacity ?? 0}',
      from: '0',
      to: '1',
      why: 'A place is looked for in an opening only; the general queue has no places.',
    },
  ],
  'server/features/session/code-demand-rule.ts': [
    {
      line: 'return puzzleWorks[',
      from: '1',
      to: '2',
      why: 'The 1 after ?? is never used: the list has an entry for each index up to its last.',
    },
    {
      line: 'work > most ? work : most',
      from: '>',
      to: '>=',
      why: 'Of two equal works, each is the harder one.',
    },
  ],
  'server/features/payments/failure-reason.ts': [
    {
      line: "typeof reason === 'string'",
      to: 'true',
      why: 'The table has only texts as keys, so a value of another type is not found in it.',
    },
  ],
  'server/features/account/contact-rule.ts': [
    {
      line: 'established.length > 0',
      why: 'The contacts are sorted by age: a single established one is the first.',
    },
  ],
  'server/calls/networks.ts': [
    {
      line: "const [head = '', tail = '']",
      why: 'A split text has a first part; a network has only the first groups of an IPv6 address.',
    },
    { line: 'const right =', why: 'A network has only the first groups of an IPv6 address.' },
    {
      line: 'const zeros =',
      from: '0',
      to: '1',
      why: 'The mutant adds a group at the end; a network has only the first groups.',
    },
  ],
  'server/integrations/circuit-breaker.ts': [
    { line: 'let pausedUntil = 0', why: 'Read only after a failure, which sets it.' },
    { line: 'let isTrying = false', why: 'Read only after a failure, which sets it.' },
    {
      line: 'leftMs > 0',
      from: '0',
      to: '1',
      why: 'With the mutant a pause ends one millisecond earlier, which no caller notices.',
    },
  ],
  'src/screens/payment/offered-methods.ts': [
    {
      line: 'return entry ?',
      from: 'entry',
      to: 'true',
      why: 'The type is from these entries, so one has it.',
    },
    {
      line: '[...new Set(types)].filter',
      why: 'For an applicant of the whitelist the list is not computed.',
    },
    {
      line: 'const hasOwnFee',
      from: '?.amount',
      why: 'A method has a price, because the list has an entry.',
    },
  ],
  'src/screens/payment/payment-key.ts': [
    { line: 'let hash = 0x811c9dc5', why: 'Another start gives other fingerprints, which differ as well.' },
    { line: 'Math.imul', from: '0', why: 'The `?? 0` is only for the compiler.' },
    { line: '(hash >>> 0)', why: '31 bits distinguish two requests as well.' },
  ],
  'src/screens/payment/payment-outcome.ts': [
    {
      line: "outcomeOfProblem('WHITELIST'",
      from: "'WHITELIST'",
      why: 'Every type but two has the same message.',
    },
  ],
  'src/sync/merge.ts': [
    {
      line: "return 'mine'",
      from: "'mine'",
      why: 'Callers compare the winner only with the two other words.',
    },
    { line: 'if (one === other)', to: 'false', why: 'A shortcut: a form is equal to itself.' },
  ],
  'src/sync/unsendable-fields.ts': [
    { line: 'if (known)', to: 'false', why: 'A cache: the fields are computed again.' },
    { line: 'if (unsendable.length === 0)', to: 'false', why: 'A shortcut: no group is replaced.' },
  ],
  'src/sync/sending.ts': [
    {
      line: 'now: draft.notBefore, urgent: true',
      from: 'true',
      why: '`now` is the end of the backoff, so the step does not depend on `urgent`.',
    },
    {
      line: 'baseVersion: base?.version',
      from: '?.version',
      why: 'A write is prepared after the server’s form was read.',
    },
    {
      line: 'additionalData: base?.additionalData',
      why: 'A write is prepared after the server’s form was read.',
    },
  ],
  'src/sync/merge-draft.ts': [
    {
      line: 'const values = copyFields(fields, draft.base?.values ?? emptyForm(), sent.values)',
      from: '?.values',
      why: 'A write is prepared after the server’s form was read.',
    },
  ],
  'src/sync/sync-reaction.ts': [
    {
      line: "typeof error === 'string'",
      from: "'string'",
      why: 'A text has no property `field`, so it also gives no fault.',
    },
  ],
  'src/sync/backoff.ts': [
    { line: 'minDelayMs = 0)', from: '0', to: '1', why: 'The shortest delay is longer.' },
    {
      line: '2 ** Math.min(attempts - 1, 20)',
      from: '20',
      to: '21',
      why: 'The longest delay is shorter than both.',
    },
  ],
  'src/contract/dates.ts': [
    { line: "const [year = ''", why: 'A split text has a first part.' },
    { line: "?.value ?? ''", why: 'The format has each of these parts.' },
  ],
  'src/contract/birth.ts': [
    {
      line: 'return year > today.slice(0, 4)',
      why: 'A year compares alike with a year and with a date of that year.',
    },
    {
      line: 'if (unknown) return year >',
      why: 'A year compares alike with a year and with a date of that year.',
    },
  ],
  'src/sync/check-synced.ts': [
    { line: 'const theApplicant = 2', why: 'The numbers are only compared with each other.' },
  ],
  'src/sync/sync-status.ts': [
    {
      line: 'isWatching = true',
      why: 'The mutant watches the store twice. Two updates at the same time cause one read.',
    },
    {
      line: "applicationId).join(' ')",
      why: 'Random ids are alike in length: without spaces, different lists stay different texts.',
    },
    {
      line: 'if (next) knownIds = ids',
      to: 'true',
      why: 'Without a read the ids are known, or there are none because the store has failed.',
    },
    { line: "kind: 'sent', at: draft.base?.at ?? 0", why: 'A sent draft has a form of the server.' },
    { line: 'statuses.setAll({ found: [] }, { accepts })', why: 'An empty list has no status.' },
    {
      line: 'fault: listFault }, false)',
      from: 'false',
      why: 'Without a draft the status does not depend on this parameter.',
    },
    {
      line: 'applicationId === before[index]?.applicationId',
      from: '?.applicationId',
      why: 'Both lists have one length.',
    },
  ],
  'src/sync/latest-reader.ts': [
    { line: 'let requestCount = 0', why: 'Counts are only compared with each other.' },
    {
      line: 'requestCount += 1',
      why: 'Counts are only compared with each other: each change makes them differ.',
    },
  ],
  'src/contract/fields.ts': [
    {
      line: "addIssue(context, 'not-valid')",
      from: "'not-valid'",
      why: 'A message without a code reads as this one.',
    },
    { line: 'if (context.issues.length > 0) return', why: 'A field shows only its first issue.' },
    { line: "code: 'custom'", from: "'custom'", why: 'Only the message of an issue is read.' },
  ],
  'src/contract/application.ts': [
    { line: "code: 'custom'", from: "'custom'", why: 'Only the message of an issue is read.' },
    { line: 'if (!lastCheck ||', to: 'true', why: 'A cache: the schema is built again.' },
    { line: 'function isSameContext', why: 'A cache: the schema is built again.' },
    { line: 'continue: true', why: 'No other check follows the rules.' },
    { line: '{ async: false }', why: 'No rule is asynchronous.' },
  ],
}
