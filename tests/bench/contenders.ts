import type { Browser } from 'playwright-core'
import type { Portal } from '#support/servers/portal.ts'
import { pageNames } from './figures/page-names.ts'
import type { Figures } from './figures/rounds.ts'
import {
  type Certificate,
  forwardTo,
  type HttpsServer,
  serveFiles,
  startHttpsServer,
} from './https-server.ts'
import { measureFirstVisit, type MeasuredPage, measureVisitsAgain } from './measure-page.ts'
import { measureTyping } from './measure-typing.ts'
import { buildPeers } from './peers.ts'
import { buildReactPage, type PageFiles, staticPage, staticPageWithWorker } from './reference-pages.ts'

export type Contender = {
  name: string
  /** False for a page that takes long and needs no precision: it is only in the first round, the third and so on. */
  isInEveryRound: boolean
  /** Returns figures of one page or of several, by the name of the page. */
  measure: (round: number) => Promise<ReadonlyMap<string, Figures>>
}

export type Setup = { certificate: Certificate; portal: Portal; browser: Browser }

/**
 * Opens everything that the bench measures. The portal and the form are measured near the pages that they are compared
 * with: what slows down the machine for a time slows down both. Closes the servers when one of the pages cannot be
 * built.
 */
export async function openContenders(setup: Setup): Promise<{ contenders: Contender[]; close: () => void }> {
  const servers: HttpsServer[] = []
  const close = () => {
    for (const server of servers) server.close()
  }
  try {
    return { contenders: await buildContenders(setup, servers), close }
  } catch (error) {
    close()
    throw error
  }
}

/** Adds each server that it starts to `servers`. */
async function buildContenders(
  { certificate, portal, browser }: Setup,
  servers: HttpsServer[],
): Promise<Contender[]> {
  const open = async (answer: Parameters<typeof startHttpsServer>[1]) => {
    const server = await startHttpsServer(certificate, answer)
    servers.push(server)
    return server
  }
  const fixed = async (files: PageFiles, hasWorker: boolean): Promise<MeasuredPage> => ({
    path: '/',
    server: await open(serveFiles(files)),
    hasWorker,
    field: '[name=phoneNumber]',
  })
  const firstVisit = (name: string, page: MeasuredPage, isInEveryRound = true): Contender => ({
    name,
    isInEveryRound,
    measure: async () => new Map([[name, await measureFirstVisit(browser, page)]]),
  })
  const signIn = { path: '/mobile', server: await open(forwardTo(portal.origin)), hasWorker: true }
  const pages = new Map<string, MeasuredPage>([
    [pageNames.react, await fixed(await buildReactPage(), false)],
    [pageNames.portal, { ...signIn, field: '[name=phoneNumber]' }],
    [pageNames.worker, await fixed(staticPageWithWorker, true)],
    [pageNames.staticPage, await fixed(staticPage, false)],
  ])
  const contenders = [...pages].map(([name, page]) => firstVisit(name, page))
  contenders.push(
    { name: 'visits again', isInEveryRound: true, measure: () => measureVisitsAgain(browser, pages) },
    {
      name: 'typing',
      isInEveryRound: true,
      measure: round =>
        measureTyping(browser, {
          pages,
          form: { name: pageNames.form, portal, phone: String(671_999_001 + round) },
        }),
    },
  )
  for (const { name, field, files } of await buildPeers())
    contenders.push(firstVisit(name, { ...(await fixed(files, false)), field }, false))
  return contenders
}
