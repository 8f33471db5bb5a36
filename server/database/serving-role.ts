import { type Kysely, sql } from 'kysely'
import { errorCodeOf } from './retry.ts'
import type { Schema } from './schema.ts'

/**
 * Why a role got no rights. `no-role`: PostgreSQL has no such role. `owner`: the role owns the tables or is a superuser, so it
 * has more rights already. `not-allowed`: the role of the connection cannot give rights on all tables of the product.
 */
export type GrantFault = 'no-role' | 'owner' | 'not-allowed'

/**
 * Lets a role of PostgreSQL read and write rows, but not change tables. The role can add to the record of the operators and
 * not change it, and can only read the list of migrations. Run it after each migration, because new tables have no grants
 * (D117).
 *
 * Returns why it changed nothing; undefined when the role has the rights.
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
  try {
    await db.transaction().execute(async trx => {
      for (const statement of statements) await statement.execute(trx)
      if (await cannotReadAll(trx, role)) throw new NotAllowedError()
    })
    return undefined
  } catch (error) {
    if (error instanceof NotAllowedError || errorCodeOf(error) === insufficientPrivilege) return 'not-allowed'
    throw error
  }
}

const insufficientPrivilege = '42501'

class NotAllowedError extends Error {}

/**
 * Whether there is a table that the role cannot read. PostgreSQL only warns when the role that grants has some rights
 * on a table and may not pass them on. Tables that belong to an extension of PostgreSQL do not count.
 */
async function cannotReadAll(db: Kysely<Schema>, role: string): Promise<boolean> {
  const { rows } = await sql<{ lacks: boolean }>`
    select not has_schema_privilege(${role}, 'public', 'usage')
      or not bool_and(has_table_privilege(${role}, oid, 'select')) as lacks
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r'
      and not exists (
        select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e'
      )`.execute(db)
  return rows[0]?.lacks === true
}

/** Whether the role of this connection can change tables and the stored record of the operators. */
export async function ownsTables(db: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql<{ role: string }>`select current_user as role`.execute(db)
  return (await findFault(db, rows[0]?.role ?? '')) === 'owner'
}

/** Call it after the migrations: without the table `operator_record` it returns `no-role` for every role. */
async function findFault(db: Kysely<Schema>, role: string): Promise<GrantFault | undefined> {
  const { rows } = await sql<{ owns: boolean }>`
    select rolsuper or pg_has_role(rolname, relowner, 'member') as owns
    from pg_roles, pg_class
    where rolname = ${role} and pg_class.oid = to_regclass('operator_record')`.execute(db)
  const [found] = rows
  if (found === undefined) return 'no-role'
  return found.owns ? 'owner' : undefined
}
