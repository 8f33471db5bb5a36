import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installWithApt } from '#support/install-with-apt.ts'
import { hasEnded, stopChild } from '#support/servers/child-process.ts'
import { freePort } from '#support/servers/free-port.ts'
import { until } from '#support/servers/portal.ts'
import { root } from './processes.ts'

/** `plainOrigin`: its port 80. `log`: what nginx has written so far. */
export type Nginx = { origin: string; plainOrigin: string; log(): string; close(): Promise<void> }

/** Returns the path of nginx, or undefined. Installs Debian's package if it may. */
export function findNginx(): string | undefined {
  return installedNginx() ?? (installWithApt(['nginx-light']) ? installedNginx() : undefined)
}

/**
 * A test names the address of a client in this header, because the machine has no address of other networks. Without the
 * header the address is that of the connection.
 */
export const clientAddressHeader = 'x-test-client-address'

/**
 * Starts nginx with the shipped configuration in front of portal servers on these ports. Only the addresses of these servers
 * (`portal-1:8080` and so on), the addresses on which nginx listens, TLS and HTTP/2 are replaced: TLS would take CPU time that
 * the clients of the test on this machine need.
 *
 * @throws when nginx is not installed or does not start.
 */
export async function startNginx(serverPorts: readonly number[]): Promise<Nginx> {
  const program = findNginx()
  if (program === undefined) throw new Error('nginx is missing. Install it: apt-get install nginx-light')
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'))
  const [port, plainPort] = [await freePort(), await freePort()]
  writeFileSync(join(folder, 'nginx.conf'), wholeConfiguration({ port, plainPort }, serverPorts))
  const child = spawn(program, ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr.on('data', (text: Buffer) => (log += text.toString()))
  await until('nginx', async () => ((await accepts(port)) ? true : undefined), {
    giveUp: () => (hasEnded(child) ? `nginx ended: ${log}` : undefined),
  })
  return {
    origin: `http://localhost:${port}`,
    plainOrigin: `http://localhost:${plainPort}`,
    log: () => log,
    async close() {
      await stopChild(child, 'SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

type Ports = { port: number; plainPort: number }

/** Returns the shipped configuration for plain HTTP, with `plainPort` for its port 80. */
function wholeConfiguration({ port, plainPort }: Ports, serverPorts: readonly number[]): string {
  const shipped = readFileSync(join(root, 'docs/packaging/nginx.conf'), 'utf8')
  const lines = shipped
    .replace(/^ {2}listen 80;$/m, `  listen 127.0.0.1:${plainPort};`)
    .replace(/^ {2}listen 443 ssl.*$/m, `  listen 127.0.0.1:${port};`)
    .replace(/^ {2}ssl_.*\n/gm, '')
    .replaceAll(/portal-(\d):8080/g, (_, number: string) => `127.0.0.1:${serverPorts[Number(number) - 1]}`)
  return `daemon off;
worker_processes 1;
pid nginx.pid;
events { worker_connections 8192; }
http {
  set_real_ip_from 127.0.0.0/8;
  real_ip_header ${clientAddressHeader};
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
${lines}}
`
}

function accepts(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

/** Why a test without nginx is skipped, for the summary of `npm test`. */
export const whyNoNginx = 'nginx is not installed (Debian: apt-get install nginx-light)'

/** Returns the path of nginx when it is installed. */
export function installedNginx(): string | undefined {
  return ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/bin/nginx', '/opt/homebrew/bin/nginx'].find(
    existsSync,
  )
}
