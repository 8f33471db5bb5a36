// `npm run bench:server`: Vite runs the TypeScript, because Node 20 cannot.
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

const { module } = await runnerImport(fileURLToPath(new URL('main.ts', import.meta.url)), {
  configFile: false,
  logLevel: 'silent',
})
await module.main(process.argv.slice(2))
process.exit(0)
