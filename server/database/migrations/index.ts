import type { Migration } from 'kysely'
import { firstTables } from './0001-first-tables.ts'
import { oneContactOfAKind } from './0002-one-contact-of-a-kind.ts'
import { deliveryReports } from './0003-delivery-reports.ts'
import { askingAboutPayments } from './0004-asking-about-payments.ts'
import { placesThatComeBack } from './0005-places-that-come-back.ts'
import { watches } from './0006-watches.ts'
import { announcedDeletions } from './0007-announced-deletions.ts'
import { codesByTwoWays } from './0008-codes-by-two-ways.ts'
import { repeatedSignIn } from './0009-repeated-sign-in.ts'
import { serverEpoch } from './0010-server-epoch.ts'
import { repeatedSecondContact } from './0011-repeated-second-contact.ts'
import { returnAddresses } from './0012-return-addresses.ts'
import { networksOfCodes } from './0013-networks-of-codes.ts'
import { lanesAndJobs } from './0014-lanes-and-jobs.ts'
import { whitelistEntries } from './0015-whitelist-entries.ts'
import { accountSafety } from './0016-account-safety.ts'
import { operatorRecords } from './0017-operator-records.ts'
import { outboxByRecipient } from './0018-outbox-by-recipient.ts'
import { afterARestore } from './0022-after-a-restore.ts'
import { normalContacts } from './0024-normal-contacts.ts'
import { securityEvents } from './0025-security-events.ts'
import { receiptTickets } from './0026-receipt-tickets.ts'
import { accountDeletion } from './0027-account-deletion.ts'
import { retention } from './0028-retention.ts'
import { dataAtRest } from './0031-data-at-rest.ts'
import { waitsAfterWrongCodes } from './0034-waits-after-wrong-codes.ts'
import { dormantAccounts } from './0035-dormant-accounts.ts'
import { openReminders } from './0036-open-reminders.ts'
import { dailyEvents } from './0037-daily-events.ts'
import { lastProofsOfContacts } from './0038-last-proofs-of-contacts.ts'
import { proofsBeforeChanges } from './0039-proofs-before-changes.ts'
import { objectEvents } from './0040-object-events.ts'
import { pastApplicants } from './0041-past-applicants.ts'

/**
 * At start, the server runs the migrations that the database has not run yet, in the order of their names. The database
 * stores the names. Never rename a released migration: the server would not start. Never change a released migration,
 * because a database runs each migration once: add a new one. The name of a migration that removes or renames something
 * that an older release uses ends with the number of the migration that a release must have to work with the tables. For
 * example, a release without migration 0099 refuses tables with `0101-drop-old-codes-needs-0099` (D73).
 */
export const migrations: Record<string, Migration> = {
  '0001-first-tables': firstTables,
  '0002-one-contact-of-a-kind': oneContactOfAKind,
  '0003-delivery-reports': deliveryReports,
  '0004-asking-about-payments': askingAboutPayments,
  '0005-places-that-come-back': placesThatComeBack,
  '0006-watches': watches,
  '0007-announced-deletions': announcedDeletions,
  '0008-codes-by-two-ways': codesByTwoWays,
  '0009-repeated-sign-in': repeatedSignIn,
  '0010-server-epoch': serverEpoch,
  '0011-repeated-second-contact': repeatedSecondContact,
  '0012-return-addresses': returnAddresses,
  '0013-networks-of-codes': networksOfCodes,
  '0014-lanes-and-jobs': lanesAndJobs,
  '0015-whitelist-entries': whitelistEntries,
  '0016-account-safety': accountSafety,
  '0017-operator-records': operatorRecords,
  '0018-outbox-by-recipient': outboxByRecipient,
  '0022-after-a-restore': afterARestore,
  '0024-normal-contacts': normalContacts,
  '0025-security-events': securityEvents,
  '0026-receipt-tickets': receiptTickets,
  '0027-account-deletion': accountDeletion,
  '0028-retention': retention,
  '0031-data-at-rest': dataAtRest,
  '0034-waits-after-wrong-codes': waitsAfterWrongCodes,
  '0035-dormant-accounts': dormantAccounts,
  '0036-open-reminders': openReminders,
  '0037-daily-events': dailyEvents,
  '0038-last-proofs-of-contacts': lastProofsOfContacts,
  '0039-proofs-before-changes': proofsBeforeChanges,
  '0040-object-events': objectEvents,
  '0041-past-applicants': pastApplicants,
}
