import {
  type KyselyPlugin,
  OperationNodeTransformer,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type QueryResult,
  type RootOperationNode,
  type UnknownRow,
  type ValueNode,
} from 'kysely'

/**
 * How the tables store personal data (D71). Until the encryption of the database has started (server/config/data-keys.ts),
 * they store it as it is.
 */
export type DataCipher = {
  /**
   * Returns what to store for a contact. Under one key equal contacts are stored equally, so that statements can compare them;
   * '' stays ''.
   */
  storeContact(contact: string): string
  /** Returns every text under which a contact may be stored. */
  storedFormsOf(contact: string): string[]
  /** Decrypts a stored contact, and returns every other text unchanged. @throws when no key of this process fits */
  openContact(stored: string): string
  /** Returns what to store for a text that is no contact, such as a message. */
  seal(place: { column: string; row: string }, text: string): string
}

/** A parameter of a statement. The encryption plugin computes its value with the keys of the process. */
export class EncryptedParameter {
  readonly resolve: (cipher: DataCipher) => unknown

  constructor(resolve: EncryptedParameter['resolve']) {
    this.resolve = resolve
  }

  /** The driver calls it when no plugin has replaced the parameter. */
  toPostgres(): never {
    throw new Error(
      'A statement with an encrypted parameter ran on a connection without the encryption plugin',
    )
  }
}

/**
 * Encrypts each `EncryptedParameter` of a statement, and decrypts the contacts in the text columns of the rows that it
 * returns (D71). Code that reads another encrypted text, such as a message or a form, decrypts it itself.
 */
export function createEncryptionPlugin(cipher: DataCipher): KyselyPlugin {
  const transformer = new EncryptionTransformer(cipher)
  return {
    transformQuery: ({ node, queryId }: PluginTransformQueryArgs): RootOperationNode =>
      transformer.transformNode(node, queryId),
    transformResult: async ({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> => ({
      ...result,
      rows: result.rows.map(row => openRow(cipher, row)),
    }),
  }
}

class EncryptionTransformer extends OperationNodeTransformer {
  readonly #cipher: DataCipher

  constructor(cipher: DataCipher) {
    super()
    this.#cipher = cipher
  }

  protected override transformValue(node: ValueNode): ValueNode {
    return node.value instanceof EncryptedParameter
      ? { ...node, value: node.value.resolve(this.#cipher) }
      : node
  }
}

function openRow(cipher: DataCipher, row: UnknownRow): UnknownRow {
  for (const [column, value] of Object.entries(row))
    if (typeof value === 'string') {
      const opened = cipher.openContact(value)
      if (opened !== value) row[column] = opened
    }
  return row
}
