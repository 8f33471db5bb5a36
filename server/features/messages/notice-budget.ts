import { homeDialCode } from '#contract/codes.ts'
import { knownDialCodes } from '#contract/dial-codes.ts'
import { splitMsisdn } from '#contract/phone.ts'
import type { Services } from '#server/calls/services.ts'
import { type Counter, countDown, countUp } from '#server/database/usage-counts.ts'
import type { ClaimedMessage } from './claim-due.ts'

type Budget = { counter: Counter; total: number; alert: Record<string, unknown> }

/**
 * Counts a message before it is sent, in the budget of its day: of SMS to its country code, or of e-mails. Undefined when
 * the budget has none left; then the message waits for the next day. `takeBack` is for a message that no gateway took.
 *
 * Codes have their own budget (D91), which is counted when they are requested. Messages about a change of contacts count
 * but are never held back: they undo a theft, and each needs a code before.
 */
export async function useNoticeBudget(
  { db, config, logger }: Services,
  message: Pick<ClaimedMessage, 'channel' | 'kind' | 'recipient'>,
): Promise<{ takeBack: () => Promise<void> } | undefined> {
  if (message.kind === 'otp') return { takeBack: async () => undefined }
  const { counter, total, alert } = budgetOf(config, message)
  const limit = message.kind === 'security' ? undefined : total
  const spent = (await countUp(db, [counter], limit)).get(counter.key)
  if (spent === total)
    logger.error(
      { ...alert, budget: total },
      'The daily budget of messages that are no codes is spent. These messages wait until tomorrow. Check why so many are sent, then raise NOTICE_BUDGET_HOME, NOTICE_BUDGET_ABROAD or NOTICE_BUDGET_EMAIL.',
    )
  return spent === undefined ? undefined : { takeBack: () => countDown(db, [counter]) }
}

function budgetOf(
  config: Services['config'],
  { channel, recipient }: Pick<ClaimedMessage, 'channel' | 'recipient'>,
): Budget {
  if (channel === 'email') {
    const counter: Counter = { key: 'notice email', window: 'day' }
    return { counter, total: config.noticeBudget.email, alert: { channel } }
  }
  const { dialCode } = splitMsisdn(recipient, knownDialCodes)
  const { home, abroad } = config.noticeBudget
  return {
    counter: { key: `notice sms ${dialCode}`, window: 'day' },
    total: dialCode === homeDialCode ? home : abroad,
    alert: { channel, dialCode },
  }
}
