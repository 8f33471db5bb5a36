// `npm run bench:server`: Node 20 does not run TypeScript; Vite, which builds the server, does.
import { runnerImport } from 'vite'

const { module } = await runnerImport(new URL('main.ts', import.meta.url).pathname, {
  configFile: false,
  logLevel: 'silent',
})
await module.main(process.argv.slice(2))
process.exit(0)
