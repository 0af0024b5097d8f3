import { rmSync } from 'node:fs'
import { temporaryFolder } from '../../local/process/temporary-folder.ts'
import { exitOnSignals } from '../../packages/platform/processes/exit-on-signals.ts'
import { findAccounts } from './accounts.ts'
import { type NewUser, removeHome } from './new-user.ts'
import { installNode } from './node-versions.ts'
import { HELP, PLATFORM, readMatrix } from './options.ts'
import { packPackage, type Workspace } from './pack-package.ts'
import { PUBLIC_PROJECTS } from './projects.ts'
import { runPlatformAsNewUser } from './run-platform.ts'
import { serveProjectAsNewUser } from './serve-project.ts'

/** `npm run test:package`: see `--help`. */
const options = readMatrix(process.argv.slice(2))
if (options.help) {
  console.info(HELP)
  process.exit()
}

exitOnSignals()
const folder = temporaryFolder('package acceptance ')
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

const outcomes: boolean[] = []
const tarballs: Partial<Record<Workspace, string>> = {}
for (const version of options.node) {
  const bin = installNode(folder, version)
  if (bin === null) console.info(`Node ${version} cannot be installed here: not tested.`)
  else
    for (const account of findAccounts(options.user)) {
      const user = { folder, version, bin, account }
      for (const project of options.project) outcomes.push(await tryProject(user, project))
      await removeHome(user)
    }
}
const failureCount = outcomes.filter((passed) => !passed).length
console.info(`\n${outcomes.length - failureCount} passed, ${failureCount} failed`)
process.exit(failureCount === 0 && outcomes.length > 0 ? 0 : 1)

/** @returns true if the project was served, or the platform counted a person */
async function tryProject(user: NewUser, name: string): Promise<boolean> {
  const { version, account } = user
  process.stdout.write(`Node ${version}, ${account.name}, ${name} … `)
  const project = PUBLIC_PROJECTS[name]
  try {
    if (name === PLATFORM) console.info(await runPlatformAsNewUser(user, tarballOf('platform')))
    else if (project)
      console.info(await serveProjectAsNewUser(user, tarballOf('engine'), { name, project }))
    else throw new Error(`--project ${name} does not exist; see --help.`)
    return true
  } catch (error) {
    console.info(`failed: ${error instanceof Error ? error.message : String(error)}`)
    return false
  }
}

/** Packs each workspace once, at its first use. */
function tarballOf(workspace: Workspace): string {
  tarballs[workspace] ??= packPackage(workspace, folder)
  return tarballs[workspace]
}
