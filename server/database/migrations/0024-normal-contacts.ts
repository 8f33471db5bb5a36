import { type Migration, sql } from 'kysely'

/**
 * Stores contacts as the sign-in reads them now: letters composed (NFC), and numbers without the zero of domestic calls. So
 * an applicant who typed such a contact finds the account again. When another account has the normal form, or two become
 * one, only the contact that was proven first changes; no account gets the contact of another one.
 */
const statements = [
  `with spelled as (
      select kind, value, proven_at, case kind
        when 'email' then normalize(value, NFC)
        else regexp_replace(value, '^(?!39|225|226|229|242|378|992)(20|27|2[1-689]\\d|3[0-46]|3[578]\\d|4[013-9]|42\\d|'
          || '5[1-8]|5[09]\\d|6[0-6]|6[7-9]\\d|7|8[1246]|8[0578]\\d|9[0-58]|9[679]\\d)0+', '\\1')
        end as normal
      from contact),
    free as (
      select kind, value, normal, row_number() over (partition by kind, normal order by proven_at, value) as turn
      from spelled
      where normal <> value
        and not exists (select 1 from contact where contact.kind = spelled.kind and contact.value = spelled.normal))
    update contact set value = free.normal from free
    where free.turn = 1 and contact.kind = free.kind and contact.value = free.value`,
]

export const normalContacts: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
