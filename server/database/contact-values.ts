import {
  type KyselyPlugin,
  OperationNodeTransformer,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type QueryResult,
  type RawBuilder,
  type RootOperationNode,
  sql,
  type UnknownRow,
  type ValueNode,
} from 'kysely'

/**
 * Phone numbers and e-mail addresses are encrypted in the tables (D71). Statements name them with these functions; the
 * plugin of the connection encrypts the parameters and opens what the rows have. The plugin also encrypts messages,
 * because the code that stores them has only the connection. The job that sends a message decrypts it.
 */
export type ContactCipher = {
  /** What to store. The same contact is always the same text, so that tables can be compared; '' stays ''. */
  store(contact: string): string
  /** Every text under which the contact may be stored. */
  storedForms(contact: string): string[]
  /** The contact of a stored text; every other text as it is. */
  open(stored: string): string
  /** What to store of another text: sealed, or as it is while the encryption has not started. */
  seal(place: { column: string; row: string }, text: string): string
}

/** A parameter that stores a contact. */
export function contactValue(contact: string): RawBuilder<string> {
  return sql<string>`${new Parameter(cipher => cipher.store(contact))}::text`
}

/** As `contactValue`, for a column that may be null. */
export function contactValueOrNull(contact: string | null): RawBuilder<string | null> {
  return sql<
    string | null
  >`${new Parameter(cipher => (contact === null ? null : cipher.store(contact)))}::text`
}

/** A parameter of several contacts to store, as `text[]`. */
export function contactValues(contacts: readonly string[]): RawBuilder<string[]> {
  return sql<string[]>`${new Parameter(cipher => contacts.map(each => cipher.store(each)))}::text[]`
}

/** The stored forms of contacts, as `text[]`: `value = any (…)` finds their rows. */
export function storedContacts(...contacts: readonly string[]): RawBuilder<string[]> {
  return sql<string[]>`${new Parameter(cipher => contacts.flatMap(each => cipher.storedForms(each)))}::text[]`
}

/** As `storedContacts`, in small letters, for the index of the outbox. */
export function storedContactsLower(...contacts: readonly string[]): RawBuilder<string[]> {
  return sql<string[]>`${new Parameter(cipher =>
    contacts.flatMap(each => cipher.storedForms(each).map(form => form.toLowerCase())),
  )}::text[]`
}

/** Whether a column has this contact. */
export function isContact(column: string, contact: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(column)} = any (${storedContacts(contact)})`
}

/** A parameter of JSON texts, as `jsonb[]`, which `make` builds with what `seal` returns. */
export function sealedJsonValues(make: (seal: ContactCipher['seal']) => string[]): RawBuilder<string[]> {
  return sql<string[]>`${new Parameter(cipher => make((place, text) => cipher.seal(place, text)))}::jsonb[]`
}

class Parameter {
  readonly resolve: (cipher: ContactCipher) => unknown

  constructor(resolve: Parameter['resolve']) {
    this.resolve = resolve
  }

  /** The driver calls it when no plugin has replaced the parameter. */
  toPostgres(): never {
    throw new Error(
      'A statement with a contact or a message ran on a connection without the plugin for contacts',
    )
  }
}

export function createContactPlugin(cipher: ContactCipher): KyselyPlugin {
  const transformer = new ContactTransformer(cipher)
  return {
    transformQuery: ({ node, queryId }: PluginTransformQueryArgs): RootOperationNode =>
      transformer.transformNode(node, queryId),
    transformResult: async ({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> => ({
      ...result,
      rows: result.rows.map(row => openRow(cipher, row)),
    }),
  }
}

class ContactTransformer extends OperationNodeTransformer {
  readonly #cipher: ContactCipher

  constructor(cipher: ContactCipher) {
    super()
    this.#cipher = cipher
  }

  protected override transformValue(node: ValueNode): ValueNode {
    return node.value instanceof Parameter ? { ...node, value: node.value.resolve(this.#cipher) } : node
  }
}

function openRow(cipher: ContactCipher, row: UnknownRow): UnknownRow {
  for (const [column, value] of Object.entries(row))
    if (typeof value === 'string') {
      const opened = cipher.open(value)
      if (opened !== value) row[column] = opened
    }
  return row
}
