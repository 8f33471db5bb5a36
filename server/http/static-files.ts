import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendRefusal } from './failures.ts'
import { languageAskedFor, prerenderedFile } from './prerendered-pages.ts'

const oneYear = 'public, max-age=31536000, immutable'
const revalidate = 'no-cache'

/** The built portal. Without one (development, tests) the server is the API alone. */
export function registerStaticFiles(app: FastifyInstance, root: string | undefined): void {
  const page = root !== undefined && existsSync(join(root, 'index.html'))
  if (page)
    app.register(fastifyStatic, {
      root,
      wildcard: true,
      index: false,
      redirect: false,
      preCompressed: true,
      cacheControl: false,
      setHeaders: (response, path) => {
        response.setHeader(
          'vary',
          /[\\/]pages[\\/]/.test(path) ? 'accept-encoding, cookie' : 'accept-encoding',
        )
        response.setHeader('cache-control', /[\\/]assets[\\/]/.test(path) ? oneYear : revalidate)
      },
    })
  if (page) app.get('/', (request, reply) => sendPage(root, request, reply))
  // A payment provider may send the payer back with a POST; the page that shows the outcome is read with a GET.
  app.register(async returns => {
    returns.removeAllContentTypeParsers()
    returns.addContentTypeParser('*', (_request, payload, done) => {
      payload.resume()
      done(null)
    })
    returns.post('/payResult/*', (request, reply) => reply.redirect(pathOf(request), 303))
  })
  app.setNotFoundHandler((request, reply) => {
    if (!page || !isPage(request)) return sendRefusal(request, reply, { refused: 'not-found' })
    return sendPage(root, request, reply)
  })
}

/** The portal's own routes have no ending; what has one, and what is asked of the API, is a file that is missing. */
function isPage(request: FastifyRequest): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false
  const path = pathOf(request)
  if (/^\/(?:api|assets|metrics)(?:\/|$)/.test(path)) return false
  return !/\.\w+$/.test(path)
}

/** Without the query: a provider may have put anything there. A path that begins with `//` would be another host. */
function pathOf(request: FastifyRequest): string {
  return (request.url.split('?')[0] ?? '/').replace(/^\/+/, '/')
}

/** A sign-in page as it was painted in the applicant's language, else what every other screen begins with. */
function sendPage(root: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const prerendered = prerenderedFile(root, pathOf(request), languageAskedFor(request))
  return reply
    .code(200)
    .header('cache-control', revalidate)
    .sendFile(prerendered ?? 'index.html')
}
