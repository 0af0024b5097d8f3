import { parseArgs } from 'node:util'

const USAGE = `Usage: npm run portal:build -- FOLDER
  builds the portal's files into FOLDER; the developer API serves them with PORTAL_FOLDER=FOLDER`

/** `npm run portal:build`: for an image, or any other place from which the developer API serves the portal. */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', short: 'h' } },
})
const [folder] = positionals
if (values.help || folder === undefined) {
  console.info(USAGE)
  process.exitCode = values.help ? 0 : 2
} else {
  // Vite reads it when it is imported; React for developers is slower and larger.
  process.env.NODE_ENV = 'production'
  const { buildPortal } = await import('./build-portal.ts')
  await buildPortal(folder)
}
