import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { FolderLockedError } from './folder-lock.ts'
import { NewerTablesError, TableBusyError } from './migrate.ts'
import { errorCodeOf } from './retry.ts'

type Settings = { databaseUrl: string | undefined; dataDir: string }

/**
 * Returns why the database could not be opened, and what to do; undefined for an unknown failure. The text has no
 * password.
 */
export function explainDatabaseFailure(error: unknown, settings: Settings): string | undefined {
  if (error instanceof FolderLockedError || error instanceof NewerTablesError) return error.message
  if (error instanceof TableBusyError) return error.message
  const { databaseUrl } = settings
  return databaseUrl === undefined || databaseUrl === 'memory://'
    ? explainFolder(error, settings.dataDir)
    : explainPostgresql(error, databaseUrl)
}

function explainPostgresql(error: unknown, databaseUrl: string): string | undefined {
  const url = new URL(databaseUrl)
  const host = url.host || (url.searchParams.get('host') ?? '')
  const database = decodeURIComponent(url.pathname.slice(1))
  const user = decodeURIComponent(url.username)
  const certificate = explainCertificate(error, host)
  if (certificate !== undefined) return certificate
  switch (errorCodeOf(error)) {
    case 'ECONNREFUSED':
    case 'ENOENT':
      return `The database of DATABASE_URL does not answer: no PostgreSQL listens at ${host}. Start it, or correct the address.`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_FAIL':
      return `The host of DATABASE_URL, ${host}, is unknown. Correct the address, or check the name server of this machine.`
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'EHOSTDOWN':
    case 'ENETUNREACH':
    case 'ENETDOWN':
    case 'EADDRNOTAVAIL':
      return `The host of DATABASE_URL, ${host}, cannot be reached. Check the network and the firewall.`
    case '28P01':
    case '28000':
      return `PostgreSQL refuses the user "${user}" of DATABASE_URL. Check the name, the password and pg_hba.conf, or create the role.`
    case '3D000':
      return `PostgreSQL has no database "${database}". Create it with "createdb", or correct DATABASE_URL.`
    case '42501':
      return `The user "${user}" of DATABASE_URL may not change the tables of "${database}". Run "npm run office -- migrate --grant-to ${user || 'ROLE'}" as their owner first, or make this user the owner.`
    case '25006':
      return `The database of DATABASE_URL accepts no writes. Name the primary server, not a standby.`
    case '53100':
      return 'The disk of PostgreSQL is full. Free some space, then start again.'
    case '53300':
      return 'PostgreSQL has no free connection. Raise max_connections, or lower DATABASE_CONNECTIONS.'
    case '57P03':
      return 'PostgreSQL is starting or stopping. Start again when it accepts connections.'
    default:
      return explainUncoded(error, host)
  }
}

/**
 * Outside a private network production demands TLS to PostgreSQL on another machine, and the driver then checks the
 * certificate. So a wrong certificate is a usual fault of a first start.
 */
function explainCertificate(error: unknown, host: string): string | undefined {
  const code = errorCodeOf(error)
  // The driver reads the files that the address names, before it connects.
  if (error instanceof Error && 'syscall' in error && (error.syscall === 'open' || code === 'EISDIR'))
    return `A certificate or key file that DATABASE_URL names cannot be read (${String(code)}). Correct the path after sslrootcert, sslcert or sslkey, or let this user read the file.`
  switch (code) {
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `The certificate of PostgreSQL at ${host} is for another host. Write the host into DATABASE_URL as the certificate names it, or give PostgreSQL a certificate for ${host}.`
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return `The certificate of PostgreSQL at ${host} is not valid today. Renew it, or correct the clock of this machine.`
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return `This machine does not know the authority that signed the certificate of PostgreSQL at ${host}. Add &sslrootcert=FILE with the certificate of the authority to DATABASE_URL.`
    default:
      return undefined
  }
}

function explainUncoded(error: unknown, host: string): string | undefined {
  const text = error instanceof Error ? error.message : ''
  if (/timeout|timed out/i.test(text))
    return `PostgreSQL at ${host} gave no answer in time. Check the network, the firewall and the load of the database.`
  if (/does not support SSL|no password|must be a string/i.test(text))
    return `PostgreSQL at ${host} and DATABASE_URL do not agree about password or TLS. Add the password, or change sslmode in the address.`
  return undefined
}

/** The embedded engine is compiled to WebAssembly and has its own numbers for the faults of files. */
const engineFaults: Record<number, string> = {
  2: 'EACCES',
  29: 'EIO',
  51: 'ENOSPC',
  63: 'EPERM',
  69: 'EROFS',
}

function explainFolder(error: unknown, dataDir: string): string | undefined {
  const ways = 'then start again, or set another DATA_DIR.'
  switch (folderFaultOf(error) === 'ENOENT' ? writeFaultOf(dataDir) : folderFaultOf(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return `The disk of DATA_DIR, ${dataDir}, is full. Free some space, ${ways}`
    case 'EROFS':
      return `The disk of DATA_DIR, ${dataDir}, is read-only. Mount it for writing, ${ways}`
    case 'EACCES':
    case 'EPERM':
      return `This user may not write to DATA_DIR, ${dataDir}. Change the owner of the folder, ${ways}`
    case 'EEXIST':
    case 'ENOTDIR':
    case 'ENOENT':
      return `DATA_DIR, ${dataDir}, is not a folder and cannot become one. Remove the file in its way, ${ways}`
    case 'EIO':
      return `The disk of DATA_DIR, ${dataDir}, has a fault. Check it, ${ways}`
    default:
      return undefined
  }
}

/**
 * Returns why the folder, or the nearest path above it that exists, cannot be written: on a read-only disk Node says only
 * ENOENT. Returns ENOENT when it can be written: then something else is in the way of the folder.
 */
function writeFaultOf(folder: string): unknown {
  let existing = resolve(folder)
  while (!existsSync(existing)) existing = dirname(existing)
  try {
    accessSync(existing, constants.W_OK)
    return 'ENOENT'
  } catch (error) {
    return errorCodeOf(error)
  }
}

/** Returns the code of the fault of the disk, also of a cause: `PgliteSocket` wraps the first fault. Undefined without one. */
function folderFaultOf(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return undefined
  const code = errorCodeOf(error)
  if (typeof code === 'string' && code.startsWith('E')) return code
  if ('errno' in error && typeof error.errno === 'number' && error.errno in engineFaults)
    return engineFaults[error.errno]
  if (error instanceof Error && /No space left on device/i.test(error.message)) return 'ENOSPC'
  return 'cause' in error ? folderFaultOf(error.cause) : undefined
}
