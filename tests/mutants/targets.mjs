/**
 * The files that `npm run test:mutants` changes, and the tests that must notice each change. A file is here when a wrong
 * value in it costs an applicant money, answers, an appointment or the account, and when its tests need no browser.
 * `without` names functions of the file that need the database. `only` names the functions that have the rule.
 *
 * With `database` the rule is in an SQL statement: its tests are tests of the server, on PGlite. A target may have `names`, a
 * pattern: then each mutant runs only the tests with such a name, because all tests of the files would take too long.
 */

/** The tests of the pure functions that compute a draft. */
const draftTests = [
  'tests/sync/draft-rules.test.ts',
  'tests/sync/draft-steps.test.ts',
  'tests/sync/restored-server.test.ts',
  'tests/sync/merge.test.ts',
  'tests/sync/confirmation-during-read.test.ts',
  'tests/sync/typing-during-sync.test.ts',
]

export const targets = [
  // Transitions: which event may follow which state.
  {
    path: 'src/contract/states.ts',
    why: 'the transitions of an application, and the screens that they open',
    tests: ['tests/contract/states.test.ts'],
  },
  {
    path: 'server/features/appointments/change-rule.ts',
    why: 'whether an appointment may still be changed',
    tests: ['tests/server/appointments/change-rule.test.ts'],
  },
  {
    path: 'server/features/deletion/deletion-plan.ts',
    why: 'the day on which an application is deleted',
    tests: ['tests/server/deletion/deletion-plan.test.ts'],
  },
  {
    path: 'server/features/appointments/hold-rule.ts',
    why: 'what becomes of a reservation',
    tests: ['tests/server/appointments/hold-rule.test.ts'],
  },
  {
    path: 'server/features/appointments/hold-place.ts',
    why: 'who may hold a free place, and which appointment may be changed',
    only: ['mayReplaceQuery', 'isFreeQuery'],
    database: true,
    tests: ['tests/server/appointments/reserve.test.ts'],
  },
  // Money: what a payment costs, when it may be repeated, and what its end means.
  {
    path: 'src/contract/payment.ts',
    why: 'how an answer about a payment is read',
    tests: ['tests/contract/payment.test.ts'],
  },
  {
    path: 'src/contract/payer-input.ts',
    why: 'the rules of what a payer types',
    tests: ['tests/contract/payer-input.test.ts'],
  },
  {
    path: 'server/features/payments/status-schedule.ts',
    why: 'when the server queries the status of a payment, and when it gives up',
    without: ['readAges'],
    tests: ['tests/server/payments/payment-rules.test.ts'],
  },
  {
    path: 'server/features/payments/failure-reason.ts',
    why: 'why a payment failed',
    without: ['readFailure'],
    tests: ['tests/server/payments/payment-rules.test.ts'],
  },
  {
    path: 'server/features/payments/payer-steps.ts',
    why: 'how long the payer can still pay',
    tests: ['tests/server/payments/payment-rules.test.ts'],
  },
  {
    path: 'server/features/payments/order-rule.ts',
    why: 'whether an application can be paid for, and how many orders and codes it gets',
    tests: ['tests/server/payments/order-rule.test.ts'],
  },
  {
    path: 'server/features/payments/proven-payment-rule.ts',
    why: 'whether a payment is of an order, and whether it may be attached to an application',
    tests: ['tests/server/payments/order-rule.test.ts'],
  },
  {
    path: 'server/features/payments/cancel-rule.ts',
    why: 'whether an order can be canceled without a loss of money',
    tests: ['tests/server/payments/order-rule.test.ts'],
  },
  {
    path: 'src/screens/payment/offered-methods.ts',
    why: 'which methods of payment are offered, and their fees',
    tests: ['tests/screens/payment/offered-methods.test.ts'],
  },
  {
    path: 'src/screens/payment/payment-outcome.ts',
    why: 'whether a payment is over, and whether another one may start',
    tests: ['tests/screens/payment/payment-outcome.test.ts'],
  },
  {
    path: 'src/screens/payment/payment-key.ts',
    why: 'the idempotency key, against a second order',
    tests: ['tests/screens/payment/payment-key.test.ts'],
  },
  // Limits: what one asker may do, when a provider that fails gets no more requests, and which reminder is due.
  {
    path: 'server/features/session/send-limit-rule.ts',
    why: 'the codes that a contact gets',
    tests: ['tests/server/session/send-limit-rule.test.ts'],
  },
  {
    path: 'server/features/session/code-check-rule.ts',
    why: 'what a typed code opens, and how often it may be wrong',
    tests: ['tests/server/session/code-check-rule.test.ts'],
  },
  {
    path: 'server/features/session/code-budget.ts',
    why: 'who gets the last codes of a day',
    without: ['useBudget'],
    tests: ['tests/server/session/code-budget.test.ts'],
  },
  {
    path: 'server/features/session/code-demand-rule.ts',
    why: 'the captcha before a code, and what the answer to the request reveals',
    tests: ['tests/server/session/code-demand-rule.test.ts'],
  },
  {
    path: 'server/calls/rate-limit.ts',
    why: 'the calls that one asker may make',
    tests: ['tests/server/http/rate-limit.test.ts'],
  },
  {
    path: 'server/calls/asker-limit.ts',
    why: 'the calls of an applicant, and those that a network shares',
    without: ['networksInDatabase'],
    tests: ['tests/server/http/asker-limit.test.ts'],
  },
  {
    path: 'server/http/call-limit.ts',
    why: 'the numbers of the limits of all calls together, and of the stored answers of writes',
    tests: ['tests/server/http/asker-limit.test.ts'],
  },
  {
    path: 'server/calls/networks.ts',
    why: 'which addresses share the limits of a network',
    tests: ['tests/server/http/networks.test.ts'],
  },
  {
    path: 'server/integrations/circuit-breaker.ts',
    why: 'when a provider that fails gets no more requests',
    tests: ['tests/server/integrations/circuit-breaker.test.ts'],
  },
  {
    path: 'server/features/reminders/due-reminder.ts',
    why: 'which reminder is due',
    tests: ['tests/server/messages/due-reminder.test.ts'],
  },
  // Accounts: who opens an account, and who can take it back.
  {
    path: 'server/features/account/contact-rule.ts',
    why: 'which contacts an account gets, loses and gets back',
    tests: ['tests/server/account/contact-rule.test.ts'],
  },
  {
    path: 'server/features/account/match-application.ts',
    why: 'the answer that opens a dormant account',
    without: ['hasMatchingApplication'],
    tests: ['tests/server/account/contact-rule.test.ts'],
  },
  // Merge: what becomes of answers that two devices changed.
  {
    path: 'src/sync/merge.ts',
    why: 'the three-way merge of two forms',
    tests: [
      'tests/sync/merge.test.ts',
      'tests/sync/draft-steps.test.ts',
      'tests/sync/restored-server.test.ts',
    ],
  },
  {
    path: 'src/sync/unsendable-fields.ts',
    why: 'the answers that wait on the device because the server would refuse them',
    tests: ['tests/sync/draft-steps.test.ts', 'tests/sync/sync-status.test.ts'],
  },
  {
    path: 'src/store/revision-rule.ts',
    why: 'which replaced answers of a draft become a revision',
    tests: ['tests/store/revision-rule.test.ts'],
  },
  {
    path: 'src/sync/check-synced.ts',
    why: 'whether a step may follow: all answers are at the server',
    tests: ['tests/sync/check-synced.test.ts', 'tests/sync/sync-status.test.ts'],
  },
  {
    path: 'src/sync/next-step.ts',
    why: 'which step of the sync follows',
    tests: draftTests,
  },
  {
    path: 'src/sync/sending.ts',
    why: 'which answers a write has',
    tests: draftTests,
  },
  {
    path: 'src/sync/merge-draft.ts',
    why: 'what an answer of the server makes of a draft',
    tests: draftTests,
  },
  {
    path: 'src/sync/merge-screen-form.ts',
    why: 'what typing makes of a draft',
    tests: draftTests,
  },
  {
    path: 'src/sync/sync-reaction.ts',
    why: 'what a refusal of the server means for a draft',
    tests: draftTests,
  },
  {
    path: 'src/sync/backoff.ts',
    why: 'when a failed step is repeated',
    tests: draftTests,
  },
  {
    path: 'src/sync/sync-status.ts',
    why: 'what the applicant reads about the state of the answers',
    tests: [
      'tests/sync/sync-status.test.ts',
      'tests/sync/draft-steps.test.ts',
      'tests/sync/restored-server.test.ts',
    ],
  },
  {
    path: 'src/sync/latest-reader.ts',
    why: 'which read of the drafts the shown state of the answers comes from',
    tests: ['tests/sync/sync-status.test.ts'],
  },
  // Rules of the form.
  {
    path: 'src/contract/dates.ts',
    why: 'which dates exist, and how a typed date is read',
    tests: ['tests/contract/dates.test.ts', 'tests/contract/date-limits.test.ts'],
  },
  {
    path: 'src/contract/birth.ts',
    why: 'the date of birth',
    tests: ['tests/contract/birth.test.ts', 'tests/contract/form-rules.test.ts'],
  },
  {
    path: 'src/contract/documents.ts',
    why: 'the identity card and the previous passport',
    tests: [
      'tests/contract/documents.test.ts',
      'tests/contract/form-rules.test.ts',
      'tests/contract/form-clearing.test.ts',
    ],
  },
  {
    path: 'src/contract/date-issue.ts',
    why: 'the dates of cards and passports',
    tests: [
      'tests/contract/dates.test.ts',
      'tests/contract/form-rules.test.ts',
      'tests/contract/documents.test.ts',
    ],
  },
  {
    path: 'src/contract/parent.ts',
    why: 'the parents and the representative',
    tests: [
      'tests/contract/dates.test.ts',
      'tests/contract/form-rules.test.ts',
      'tests/contract/form-clearing.test.ts',
    ],
  },
  {
    path: 'src/contract/person.ts',
    why: 'the person',
    tests: [
      'tests/contract/form-rules.test.ts',
      'tests/contract/form-contact.test.ts',
      'tests/contract/form-clearing.test.ts',
    ],
  },
  {
    path: 'src/contract/general.ts',
    why: 'the reason and the journey',
    tests: ['tests/contract/form-rules.test.ts', 'tests/contract/form-clearing.test.ts'],
  },
  {
    path: 'src/contract/place.ts',
    why: 'places at home and abroad',
    tests: ['tests/contract/form-rules.test.ts', 'tests/contract/form-clearing.test.ts'],
  },
  {
    path: 'src/contract/phone.ts',
    why: 'phone numbers, to which codes are sent',
    tests: ['tests/contract/phone.test.ts', 'tests/contract/form-contact.test.ts'],
  },
  {
    path: 'src/contract/fields.ts',
    why: 'the kinds of fields and their normal form',
    tests: [
      'tests/contract/names.test.ts',
      'tests/contract/form-rules.test.ts',
      'tests/contract/form-clearing.test.ts',
    ],
  },
  {
    path: 'src/contract/date-limits.ts',
    why: 'the days that a calendar offers',
    tests: ['tests/contract/date-limits.test.ts'],
  },
  {
    path: 'src/contract/field-groups.ts',
    why: 'the answers that are merged together',
    tests: ['tests/contract/application.test.ts', 'tests/sync/merge.test.ts'],
  },
  {
    path: 'src/contract/application.ts',
    why: 'the whole form: its rules together, hidden fields, and the form on the wire',
    tests: [
      'tests/contract/application.test.ts',
      'tests/contract/form-clearing.test.ts',
      'tests/contract/form-contact.test.ts',
      'tests/contract/form-rules.test.ts',
    ],
  },
]
