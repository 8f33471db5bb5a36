import { type Kysely, sql } from 'kysely'
import type { Schema } from './schema.ts'

/** What stops a grant, as `grantToServingRole` finds it. */
export type GrantFault = 'no-role' | 'owner'

/**
 * Lets a role of PostgreSQL read and write rows, and nothing else: not change tables, and not change the stored record of
 * the operators. Run it after each migration, because new tables have no grants (D117).
 *
 * Returns what stopped it: the role does not exist, or it owns the tables and can do everything already.
 */
export async function grantToServingRole(db: Kysely<Schema>, role: string): Promise<GrantFault | undefined> {
  const fault = await findFault(db, role)
  if (fault !== undefined) return fault
  const name = sql.id(role)
  const statements = [
    sql`grant usage on schema public to ${name}`,
    sql`grant select, insert, update, delete on all tables in schema public to ${name}`,
    sql`revoke insert, update, delete on kysely_migration, kysely_migration_lock from ${name}`,
    sql`revoke update, delete on operator_record from ${name}`,
    sql`grant usage, select, update on all sequences in schema public to ${name}`,
  ]
  await db.transaction().execute(async trx => {
    for (const statement of statements) await statement.execute(trx)
  })
  return undefined
}

/** Whether the role of this connection can change tables and the stored record of the operators. */
export async function ownsTables(db: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql<{ role: string }>`select current_user as role`.execute(db)
  return (await findFault(db, rows[0]?.role ?? '')) === 'owner'
}

async function findFault(db: Kysely<Schema>, role: string): Promise<GrantFault | undefined> {
  const { rows } = await sql<{ owns: boolean }>`
    select rolsuper or pg_has_role(rolname, relowner, 'member') as owns
    from pg_roles, pg_class
    where rolname = ${role} and pg_class.oid = to_regclass('operator_record')`.execute(db)
  const [found] = rows
  if (found === undefined) return 'no-role'
  return found.owns ? 'owner' : undefined
}
