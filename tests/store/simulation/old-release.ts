import { emptyForm } from '#contract/application.ts'
import type { Phone } from './phone.ts'
import type { Step } from './story.ts'
import { ada, encryptRow } from './virtual-platform.ts'
import type { World } from './world.ts'

type OldRelease = Extract<Step, { kind: 'old release' }>

/**
 * Creates the database of an older release, with one unsent draft of an application that the server has (D36). `version`: of
 * the database, 1 or 3.
 */
export async function createOldDatabase(
  { clock, account }: World,
  { disk, name: phone }: Phone,
  { version, value }: OldRelease,
): Promise<void> {
  const { server, reportedAnswers } = account(ada.applicantId)
  server.expectStart()
  server.answer('createApplication', {}, 'old release')
  const [applicationId = ''] = server.ids()
  const { applicantId } = ada
  const values = { ...emptyForm(), surname: value }
  const base = { version: 0, additionalData: '', values: emptyForm(), at: 5 }
  // Version 1 saved only the answers.
  const content = version === 1 ? values : { values, base, attempts: 0, notBefore: 0 }
  const sealed = encryptRow(content, `${applicantId}/${applicationId}`)
  const savedAt = 77
  const row = { applicantId, applicationId, sealed, tab: 'GeneralData', savedAt }
  // Dexie multiplies version numbers by ten.
  const request = disk.factory.open(disk.name, version * 10)
  request.addEventListener('upgradeneeded', () => createTables(request.result, version))
  request.addEventListener('success', () => {
    const transaction = request.result.transaction('drafts', 'readwrite')
    transaction.objectStore('drafts').put(version === 1 ? row : { ...row, revision: 12 })
    transaction.addEventListener('complete', () => {
      request.result.close()
      disk.reload(transaction)
      const memory = { isLost: true } // no page is open
      reportedAnswers.onTyped('surname', value, { atMs: clock.elapsed(), phoneMs: savedAt, phone, memory })
      reportedAnswers.claim('surname', value, {
        openedAs: applicationId,
        mayBeReplaced: false,
        isTypedBack: false,
        typedOverIn: new Set(),
      })
    })
  })
  await clock.pass(1_000)
}

function createTables(database: IDBDatabase, version: OldRelease['version']) {
  database
    .createObjectStore('drafts', { keyPath: ['applicantId', 'applicationId'] })
    .createIndex('applicantId', 'applicantId')
  database.createObjectStore('keys', { keyPath: 'id' })
  if (version === 1) return
  // Version 2 added the first of these tables, version 3 the second.
  database.createObjectStore('moves', { keyPath: ['applicantId', 'localId'] })
  database
    .createObjectStore('seen', { keyPath: ['applicantId', 'name'] })
    .createIndex('applicantId', 'applicantId')
}
