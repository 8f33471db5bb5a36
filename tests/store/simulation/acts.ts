import { newDraft } from '#store/draft.ts'
import { isOnlyOnDevice } from '#sync/check-synced.ts'
import type { Account } from './account.ts'
import { confirm, deleteApplication } from './confirm-and-delete.ts'
import { createOldDatabase } from './old-release.ts'
import { draftsOf } from './oracle.ts'
import { ownedValue } from './owned-values.ts'
import type { Phone } from './phone.ts'
import { firstTabOf, isLoggingOut, logOutInTab, signInAs, tabsOf } from './session-acts.ts'
import type { PhoneName, Step, TabName } from './story.ts'
import type { Tab } from './tab.ts'
import { ada } from './virtual-platform.ts'
import type { World } from './world.ts'

/**
 * Starts one step of a story. Only `wait` and `old release` let time pass: what the other steps have begun continues
 * then.
 */
export async function act(world: World, step: Step): Promise<void> {
  switch (step.kind) {
    case 'wait':
      return world.clock.pass(step.ms)
    case 'type':
      return inForm(world, step.tab, (tab, { applicant }) =>
        tab.form()?.type(step.field, ownedValue(applicant.applicantId, step.field, step.value)),
      )
    case 'type part':
      return inForm(world, step.tab, (tab, { applicant }) =>
        tab.form()?.typePart(step.field, ownedValue(applicant.applicantId, step.field, step.value)),
      )
    case 'submit':
      return inForm(world, step.tab, tab => tab.form()?.submit())
    case 'choose':
      return inForm(world, step.tab, tab => tab.form()?.choose(step.theirs))
    case 'type back':
      return inForm(world, step.tab, tab => tab.form()?.typeBack())
    case 'confirm':
      return inTab(world, step.tab, (tab, account) => {
        if (step.isLineGood) tab.phone.nextLineFaults.length = 0
        return confirm(world, tab, tab.form()?.id ?? listOf(account, tab)[0], step)
      })
    case 'delete':
      return inTab(world, step.tab, (tab, account) => {
        if (step.isLineGood) tab.phone.nextLineFaults.length = 0
        return deleteApplication(world, tab, listOf(account, tab)[step.index])
      })
    case 'hang':
      return world.findOpenTab(step.tab)?.storage.hanging.hangNext(step)
    case 'failing reads':
      return world.findOpenTab(step.tab)?.storage.failingReads.failFor(step)
    case 'restore answers':
      return inForm(world, step.tab, restoreAnswers)
    case 'open':
      return inTab(world, step.tab, (tab, account) => tab.open(listOf(account, tab)[step.index]))
    case 'start':
      return inTab(world, step.tab, (tab, account) => start(account, tab))
    case 'restart':
      return inTab(world, step.tab, (tab, account) => restart(account, tab))
    case 'show':
      return inTab(world, step.tab, tab => tab.device.show())
    case 'kill':
    case 'close':
      return end(world, step)
    case 'server':
      return changeServer(world, step)
    case 'log out':
    case 'sign in as':
      return changeSession(world, step)
    default:
      return actOnPhone(world, step)
  }
}

/** The applicant does one thing after another in a tab. An error is a fault of the product: it fails the story. */
function inTab(world: World, name: TabName, run: (tab: Tab, account: Account) => unknown) {
  const tab = world.tab(name)
  void tab.next(async () => {
    await tab.ready()
    const account = tab.account()
    const { logOut } = tab.phone
    const isCovered = (logOut?.coversPage && logOut.tab?.isAlive()) || isLoggingOut(world, tab.phone)
    if (!account || !tab.isSignedIn() || isCovered) return
    tab.portal?.session.recordActivity()
    await run(tab, account)
  })
}

/** A log-out and a sign-in do not wait for what the applicant did before in the tab. */
function changeSession(world: World, step: Extract<Step, { kind: 'log out' | 'sign in as' }>) {
  const tab = world.tab(step.tab)
  void tab
    .ready()
    .then(() => (step.kind === 'log out' ? logOutInTab(world, tab, step) : signInAs(world, tab, step)))
}

/** Opens the first application when the tab shows no form. The applicant does not wait until the form is saved or sent. */
function inForm(world: World, name: TabName, run: (tab: Tab, account: Account) => unknown) {
  inTab(world, name, async (tab, account) => {
    if (!tab.form() || tab.form()?.isDeleted()) await tab.open(listOf(account, tab)[0])
    // A log-out may have begun since; its dialog covers the form.
    if (tab.account() === account && !isLoggingOut(world, tab.phone)) void run(tab, account)
  })
}

/** The applications that a tab lists: those of the phone, then those of the server. */
function listOf({ server, applicant }: Account, { phone }: Tab): string[] {
  return [
    ...new Set([
      ...draftsOf(phone, applicant.applicantId).map(({ applicationId }) => applicationId),
      ...server.ids(),
    ]),
  ]
}

async function start({ server }: Account, tab: Tab) {
  server.expectStart()
  const id = await tab.guard(tab.sync.startLocal(tab.phone.nextId()))
  if (id) await tab.open(id)
}

async function restart({ server, reportedAnswers, applicant }: Account, tab: Tab) {
  const lost = draftsOf(tab.phone, applicant.applicantId).find(
    ({ applicationId }) => applicationId.startsWith('app-') && !server.isKnown(applicationId),
  )
  if (!lost) return
  server.expectStart()
  await tab.closeForm()
  // The new application starts with the answers of the phone. In a conflict those of the server become earlier answers.
  const { theirs } = lost.draft
  if (theirs) reportedAnswers.mayReplace([theirs.values])
  // The screen shows a failure of the storage.
  await tab.sync.restart(lost.applicationId, newDraft(lost.draft)).catch(() => undefined)
}

async function restoreAnswers(tab: Tab) {
  const form = tab.form()
  if (!form) return
  const earlier = await tab.guard(tab.store.revisions(await tab.sync.resolveId(form.id)).catch(() => []))
  const newest = earlier.at(-1)
  if (newest && tab.form() === form) await form.restore(newest.values)
}

function end(world: World, step: Extract<Step, { kind: 'kill' | 'close' }>) {
  const tab = world.findOpenTab(step.tab)
  if (!tab) return
  const { afterMs } = step.kind === 'kill' ? step : { afterMs: 3 }
  if (step.kind === 'close') void tab.closeForm()
  if (afterMs === undefined) tab.die()
  else if (step.kind === 'close') world.clock.after(afterMs, () => tab.die())
  else tab.storage.atNextWrite(() => void world.clock.after(afterMs, () => tab.die()))
}

function changeServer({ accounts }: World, step: Extract<Step, { kind: 'server' }>) {
  for (const account of accounts) changeApplications(account, step)
}

function changeApplications(
  { server, oracle }: Account,
  { event, index }: Extract<Step, { kind: 'server' }>,
) {
  const id = server.ids()[index]
  switch (event) {
    case 'back up':
      return server.backUp()
    case 'restore':
      server.restore()
      oracle.deletions.forgetRestored()
      return oracle.forgiveLostByServer()
    case 'vanish':
      if (id !== undefined) server.vanish(id)
      return oracle.forgiveLostByServer()
    case 'close form':
      if (id !== undefined) server.closeForm(id)
  }
}

async function actOnPhone(world: World, step: Extract<Step, { phone: PhoneName }>) {
  const phone = world.phone(step.phone)
  const tabs = tabsOf(world, phone)
  switch (step.kind) {
    case 'power cut':
      return tabs.forEach(tab => tab.die())
    case 'clock':
      phone.clockErrorMs += step.byMs
      return
    case 'fault':
      phone.nextLineFaults.push(step.fault)
      return
    case 'storage':
      if (step.trouble !== 'connection is lost') phone.setTrouble(step.trouble)
      // Only an open connection can be lost.
      for (const tab of tabs)
        if (step.trouble !== 'connection is lost' || tab.isStorageOpen())
          tab.storage.failing.trouble = step.trouble
      return
    case 'expire':
      phone.acceptedToken += 1
      return world.sessions.expire(phone.cookie)
    case 'sign out':
    case 'sign in':
    case 'lock':
      return phone.hasSessions ? changePortalSession(world, step) : changeModelSession(world, phone, step)
    case 'old release':
      return createOldDatabase(world, phone, step)
  }
}

type SessionStep = Extract<Step, { kind: 'sign out' | 'sign in' | 'lock' }>

/** The steps `sign out`, `sign in` and `lock` in the stories with real sessions. */
function changePortalSession(world: World, { kind, phone }: SessionStep) {
  const tab = tabsOf(world, world.phone(phone))[0]?.name ?? firstTabOf(phone)
  const fault = undefined
  if (kind === 'sign in')
    return changeSession(world, { kind: 'sign in as', tab, applicantId: 'ada', isShared: false, fault })
  const reason = kind === 'lock' ? 'inactivity' : 'asked'
  changeSession(world, { kind: 'log out', tab, reason, givesUpUnsent: false, fault })
}

/** The steps `sign out`, `sign in` and `lock` in the stories with a seed below `firstSessionSeed`. */
function changeModelSession(world: World, phone: Phone, { kind }: SessionStep) {
  if (kind === 'sign in') return signIn(world, phone)
  void logOutOnce(world, phone, kind === 'lock' ? lock : signOut)
}

async function logOutOnce(world: World, phone: Phone, logOut: typeof signOut) {
  if (!phone.signedIn || phone.logOut?.tab?.isAlive()) return
  phone.logOut = { tab: tabsOf(world, phone)[0], coversPage: logOut === lock }
  await logOut(world, phone)
  phone.logOut = undefined
}

/**
 * Waits until what is typed is saved, for 2 s at most; then the pages forget the key and what only their memory has.
 * Then they close the forms that the applicant has opened during the wait: in the portal no form outlives the session of
 * its page (`on-session-end.ts`). Such a form would count as saved what its page has forgotten.
 */
async function signOut(world: World, phone: Phone) {
  const tabs = tabsOf(world, phone)
  await Promise.race([Promise.all(tabs.map(tab => tab.closeForm())), world.clock.sleep(2_000)])
  phone.signedIn = false
  for (const tab of tabs) {
    tab.forgetMemory()
    if (!tab.isAlive()) continue
    void tab.store.clearKey()
    void tab.closeForm()
  }
  world.emitSession(phone)
}

export function signIn(world: World, phone: Phone): void {
  if (phone.signedIn) return
  phone.signedIn = true
  phone.acceptedToken += 1
  phone.token = phone.acceptedToken
  for (const tab of tabsOf(world, phone)) void tab.signIn().then(() => tab.onSession())
}

/** A shared device after inactivity: it keeps only the drafts that the server does not have, and locks them (D31). */
async function lock(world: World, phone: Phone) {
  const [first, ...others] = tabsOf(world, phone)
  if (!first) return
  // Ends the writes that hang: else the wipe could end long after the log-out, which a story does not follow.
  for (const tab of tabsOf(world, phone)) tab.storage.hanging.endAll()
  // The portal shows a session, and its log-out, only after the store has the key.
  await first.signIn()
  await Promise.all([first, ...others].map(tab => tab.closeForm()))
  for (const tab of others) tab.die()
  const { drafts, sync, store } = first
  const unsent: string[] = []
  for (const { applicationId } of await drafts.all())
    if (isOnlyOnDevice(await sync.read(applicationId))) unsent.push(applicationId)
  const isLocked = await first.guard(store.lockedDrafts.lock(unsent).catch(() => false))
  // The portal would end the session with `lock-failed`. These old stories never change: in them the session continues.
  if (!isLocked && unsent.length > 0) return
  phone.signedIn = false
  world.emitSession(phone)
  world.account(ada.applicantId).oracle.forgiveWiped(phone, unsent)
  await first.guard(store.clearKey())
  await first.guard(store.lockedDrafts.deleteAllButLocked({ keepsOwnLocked: isLocked }).catch(() => false))
  // The server may have been restored during the wipe.
  world.account(ada.applicantId).oracle.forgiveWiped(phone, unsent)
  first.die()
}
