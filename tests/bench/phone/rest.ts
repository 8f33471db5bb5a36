import { firstPassport } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import type { TlsProxy } from '../../engines/tls-proxy.ts'
import type { Visitor } from '../../engines/visitor.ts'
import type { OldPhone } from './old-phone.ts'
import type { PageWork } from './watch-page.ts'

const settleMs = 30_000
/** Longer than the first minute of an outage, in which probes follow each other more quickly (D34). */
const outageSettleMs = 90_000
export const restMs = 60_000
const t = textsOf('fr')

/** What happened in a page without input. */
export type Rest = {
  name: string
  work: PageWork[]
  requests: string[]
  /** To the portal, also from the service worker. */
  sentBytes: number
  animations: number
}

type Parts = { visitor: Visitor; proxy: TlsProxy; phone: OldPhone }

/** Measures the form at rest in three states. The form is open in `visitor`. */
export async function measureRests(parts: Parts): Promise<Rest[]> {
  const { visitor, proxy } = parts
  await visitor.write({ name: 'surname' }, firstPassport.surname)
  await visitor.sees(t('form.onServer'))
  await wait(settleMs)
  const saved = await measureRest('everything saved', parts)
  await proxy.cut()
  const gone = await measureRest('offline, everything saved', parts)
  await visitor.write({ name: 'givenName' }, firstPassport.givenName)
  await visitor.sees(t('form.kept'))
  await wait(outageSettleMs)
  const unsent = await measureRest('offline, an answer not sent', parts)
  await proxy.restore()
  return [saved, gone, unsent]
}

async function measureRest(name: string, { visitor, proxy, phone }: Parts): Promise<Rest> {
  await visitor.page.evaluate('takePageWork().length')
  phone.takeRequests()
  const sentBefore = proxy.sentBytes()
  await wait(restMs)
  return {
    name,
    work: (await visitor.page.evaluate('takePageWork()')) as PageWork[], // what `watchPage` noted
    requests: phone.takeRequests(),
    sentBytes: proxy.sentBytes() - sentBefore,
    animations: Number(
      await visitor.page.evaluate(
        'document.getAnimations().filter(({ playState }) => playState === "running").length',
      ),
    ),
  }
}

function wait(durationMs: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, durationMs))
}
