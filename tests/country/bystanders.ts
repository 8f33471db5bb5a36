import { openBrowserOf } from './attack.ts'
import type { Cluster } from './cluster.ts'
import type { HttpClient } from './http-client.ts'
import { byPhone, type Person, type Visitors } from './visitor.ts'

/** People who have an account before an attack. After it each of them signs in again, with codes sent to their own contact. */
export type Bystanders = {
  /**
   * Lets everybody sign in again, in a known browser and in a new one. Returns how many of these sign-ins did not open the
   * person's own account.
   */
  countLockedOut(): Promise<number>
}

const countOfPeople = 3
let people = 0

/** Opens accounts before an attack. Each call takes other people, with networks of their own. */
export async function openBystanders(cluster: Cluster, visitors: Visitors): Promise<Bystanders> {
  const owners: { person: Person; browser: HttpClient; applicantId: string; address: string }[] = []
  for (let index = 0; index < countOfPeople; index += 1) {
    people += 1
    const address = `41.203.${people % 250}.7`
    const phone = `237652${String(people).padStart(6, '0')}`
    const person = { phone, email: `bystander-${people}@example.cm`, hasAccount: true }
    const browser = openBrowserOf(cluster, address)
    const session = await visitors.signIn(browser, byPhone(phone))
    if (!session) throw new Error('A first sign-in was refused')
    owners.push({ person, browser, applicantId: session.applicantId, address })
  }
  return {
    async countLockedOut() {
      let refused = 0
      for (const { person, browser, applicantId, address } of owners)
        for (const from of [browser, openBrowserOf(cluster, address)]) {
          const session = await visitors.signInAs(from, person)
          if (session?.applicantId !== applicantId) refused += 1
        }
      return refused
    },
  }
}
