import { type Migration, sql } from 'kysely'

/** The normal form of a phone number or an e-mail address in a column. */
const normal = (column: string, kind = 'kind') => `case ${kind}
  when 'email' then normalize(${column}, NFC)
  else regexp_replace(${column}, '^(?!39|225|226|229|242|378|992)(20|27|2[1-689]\\d|3[0-46]|3[578]\\d|4[013-9]|42\\d|'
    || '5[1-8]|5[09]\\d|6[0-6]|6[7-9]\\d|7|8[1246]|8[0578]\\d|9[0-58]|9[679]\\d)0+', '\\1')
  end`

/**
 * Stores contacts as the sign-in reads them now: letters composed (NFC), and numbers without the zero of domestic calls. So
 * an applicant who typed such a contact finds the account again. A contact does not change when another row has its
 * normal form already. When two contacts become one, only the one that was proven first changes. So no account gets the
 * contact of another one.
 */
const contacts = [
  `with spelled as (select kind, value, proven_at, ${normal('value')} as normal from contact),
    free as (
      select kind, value, normal, row_number() over (partition by kind, normal order by proven_at, value) as turn
      from spelled
      where normal <> value
        and not exists (select 1 from contact where contact.kind = spelled.kind and contact.value = spelled.normal))
    update contact set value = free.normal from free
    where free.turn = 1 and contact.kind = free.kind and contact.value = free.value`,
]

/** A change must name the contact as the account has it: otherwise the undo of the change would not find the contact. */
const changes = ['value_before', 'value_after'].map(
  column => `update contact_change set ${column} = ${normal(column)}
    where ${column} <> ${normal(column)} and not exists (
      select 1 from contact
      where contact.kind = contact_change.kind and contact.value = contact_change.${column}
        and contact.applicant_id = contact_change.applicant_id)`,
)

/**
 * An unused code that went by the other channel proves the contact in `sent_to`. That contact must be in its normal form too:
 * otherwise the sign-in with this code would open a new account.
 */
const kindSentTo = `case when sent_to like '%@%' then 'email' else 'phone' end`
const codes = [
  `update one_time_code set sent_to = ${normal('sent_to', kindSentTo)}
    where used_at is null and sent_to <> ${normal('sent_to', kindSentTo)}
      and not exists (select 1 from contact where contact.value = one_time_code.sent_to)`,
]

/**
 * A sign-in finds its payment on the whitelist. Entries that have one contact in two spellings become one payment, which
 * is used when one of them was: a contact has one payment (D96).
 */
const whitelist = [
  `with recursive spelled as (select kind, entry, ${normal('value')} as normal from whitelist),
    link as (
      select distinct one.entry, other.entry as linked from spelled as one join spelled as other using (kind, normal)
      where one.entry <> other.entry),
    reached as (
      select entry, linked from link
      union select reached.entry, link.linked from reached join link on link.entry = reached.linked),
    merged as (select entry, min(linked::text)::uuid as first from reached group by entry)
    update whitelist set entry = merged.first from merged where merged.entry = whitelist.entry`,
  `update whitelist set used_at = used.at
    from (select entry, min(used_at) as at from whitelist where used_at is not null group by entry) as used
    where used.entry = whitelist.entry and whitelist.used_at is null`,
  `delete from whitelist using (
      select kind, value, row_number() over (partition by kind, ${normal('value')} order by value) as turn
      from whitelist) as spelled
    where spelled.turn > 1 and whitelist.kind = spelled.kind and whitelist.value = spelled.value`,
  `update whitelist set value = ${normal('value')} where value <> ${normal('value')}`,
]

const statements = [...contacts, ...changes, ...codes, ...whitelist]

export const normalContacts: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
