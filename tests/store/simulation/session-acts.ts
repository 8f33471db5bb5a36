import { doNothing } from '#device/do-nothing.ts'
import type { Session } from '#session/session.ts'
import type { Account } from './account.ts'
import type { Phone } from './phone.ts'
import type { PhoneName, Step, TabName } from './story.ts'
import type { Tab } from './tab.ts'
import type { PortalSession } from './tab-session.ts'
import { maxEvents } from './virtual-clock.ts'
import { applicants } from './virtual-platform.ts'
import type { World } from './world.ts'

type LogOut = Pick<Extract<Step, { kind: 'log out' }>, 'reason' | 'givesUpUnsent' | 'fault'>
type SignIn = Pick<Extract<Step, { kind: 'sign in as' }>, 'applicantId' | 'isShared' | 'fault'>

const minuteMs = 60_000
/** How often the applicant tries one sign-in, the first try included. */
const maxTries = 3
/** The rounds of `takeOver`, of a minute each. */
const [minRounds, maxRounds] = [3, 7]

/** The open tabs of the phone. */
export function tabsOf(world: World, phone: Phone): readonly Tab[] {
  return world.tabs().filter(tab => tab.phone === phone)
}

/** The name of the first tab of the phone, open or not. */
export function firstTabOf(phone: PhoneName): TabName {
  return phone === 'A' ? 'A1' : 'B1'
}

/** While the portal logs out, the applicant cannot type on this phone. */
export function isLoggingOut(world: World, phone: Phone): boolean {
  return tabsOf(world, phone).some(({ portal }) => portal && portal.session.logoutStep() !== 'none')
}

/** The applicant presses Log out, or does nothing for too long. */
export async function logOutInTab(
  world: World,
  tab: Tab,
  { reason, givesUpUnsent, fault }: LogOut,
): Promise<void> {
  const account = tab.account()
  if (!tab.portal || !account || isLoggingOut(world, tab.phone)) return
  // A page saves what was typed when it is hidden, so the tabs behind this one have saved it.
  const forms = tabsOf(world, tab.phone).flatMap(each => each.form() ?? [])
  const saved = Promise.all(forms.map(form => form.flush()))
  await Promise.race([saved, world.clock.sleep(3_000)])
  const { session, setLogOutFault } = tab.portal
  if (session.signedInId() !== account.applicant.applicantId || isLoggingOut(world, tab.phone)) return
  setLogOutFault(fault)
  const stop = session.subscribe(() => {
    world.trail(`${tab.name}: log-out step ${session.logoutStep()}`)
    if (isAsking(session))
      world.clock.after(1_000, () => answerQuestion(world, { tab, session, account, givesUpUnsent }))
  })
  await session.logOut(reason)
  stop()
}

type Question = { tab: Tab; session: Session; account: Account; givesUpUnsent: boolean }

/** The applicant answers the question about the drafts that could not be sent. */
function answerQuestion(world: World, { tab, session, account, givesUpUnsent }: Question) {
  if (!isAsking(session)) return
  world.trail(`${tab.name}: the applicant ${givesUpUnsent ? 'gives up what is not sent' : 'stays'}`)
  if (givesUpUnsent) account.oracle.forgiveUnsent(tab.phone)
  session.answerLogout(givesUpUnsent)
}

function isAsking(session: Session): boolean {
  return session.logoutStep().startsWith('asking')
}

/** The tabs in which a sign-in runs: a page sends one at a time. */
const signingIn = new WeakSet<Tab>()

/**
 * An applicant signs in, also while another applicant is signed in on the phone. The applicant says whether others use
 * the phone, but only when no page there has a session or logs out.
 */
export async function signInAs(world: World, tab: Tab, signIn: SignIn): Promise<void> {
  const { portal, phone } = tab
  if (!portal || portal.session.signedInId() === signIn.applicantId || signingIn.has(tab)) return
  const isFree = !isLoggingOut(world, phone) && tabsOf(world, phone).every(each => !each.isSignedIn())
  if (isFree) portal.deviceUse.choose(signIn.isShared)
  // A tab that dies during the end of its session never removes its own entry.
  phone.endings.clear()
  signingIn.add(tab)
  await tryToSignIn(world, { tab, portal }, signIn).finally(() => signingIn.delete(tab))
}

async function tryToSignIn(
  world: World,
  { tab, portal }: { tab: Tab; portal: PortalSession },
  { applicantId, fault }: SignIn,
): Promise<void> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const outcome = await portal.logIn(world.account(applicantId).applicant, tries === 0 ? fault : undefined)
    world.trail(`${tab.name}: the sign-in of ${applicantId} ends as ${outcome}`)
    if (outcome !== 'failed') return
    await tab.guard(world.clock.sleep(3_000))
  }
}

/**
 * Each applicant signs in on both phones in turn, waits there, and must then have every answer on the server. After `maxEvents`
 * no timer runs, so a check would blame the wrong part: `play` reports that the pages do not come to rest.
 */
export async function restWithSessions(world: World): Promise<void> {
  // No tab dies at its next write any more.
  for (const tab of world.tabs()) tab.storage.atNextWrite(doNothing)
  for (let round = 0; round < 2; round += 1)
    for (const { applicantId } of applicants) {
      for (const phone of world.phones) await takeOver(world, phone, applicantId)
      for (const tab of world.tabs()) tab.device.show()
      await world.clock.pass(2 * minuteMs)
      for (const tab of world.tabs())
        for (const { applicationId } of tab.sync.list()) tab.sync.refresh(applicationId)
      await world.clock.pass(8 * minuteMs)
      if (world.clock.count() >= maxEvents) return
      world.check()
      if (round > 0) world.account(applicantId).oracle.checkEnd()
      if (world.faults().length > 0) return
    }
}

/** Closes the other tabs of the phone in which this applicant is not signed in, then signs in on the first tab. */
async function takeOver(world: World, phone: Phone, applicantId: 'ada' | 'ben') {
  const first = firstTabOf(phone.name)
  for (const tab of tabsOf(world, phone))
    if (tab.name !== first && tab.account()?.applicant.applicantId !== applicantId) tab.die()
  const isIn = () => world.findOpenTab(first)?.account()?.applicant.applicantId === applicantId
  // More than one round, because a page may learn only now that its session was replaced.
  for (let round = 0; round < minRounds || !isIn(); round += 1) {
    if (world.clock.count() >= maxEvents) return
    if (round >= maxRounds) return world.report(`${applicantId} cannot sign in on phone ${phone.name}`)
    const tab = world.tab(first)
    void tab.ready().then(() => signInAs(world, tab, { applicantId, isShared: false, fault: undefined }))
    tab.device.show()
    await world.clock.pass(minuteMs)
  }
}
