import { parseArgs } from 'node:util'

const USAGE = `Usage: npm run portal:build -- FOLDER
  builds the portal's files into FOLDER; the developer API serves them with PORTAL_FOLDER=FOLDER`

// The command `npm run portal:build`. The developer API serves the built folder, in an image for example.
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', short: 'h' } },
})
const [folder] = positionals
if (values.help || folder === undefined) {
  console.info(USAGE)
  process.exitCode = values.help ? 0 : 2
} else {
  // Must be set before Vite is imported. React's development build is slower and larger.
  process.env.NODE_ENV = 'production'
  const { buildPortal } = await import('./build-portal.ts')
  await buildPortal(folder)
}
