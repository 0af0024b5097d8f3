import { rmSync } from 'node:fs'
import { temporaryFolder } from '../../local/process/temporary-folder.ts'
import { exitOnSignals } from '../../packages/platform/processes/exit-on-signals.ts'
import { findAccounts } from './accounts.ts'
import { installNode } from './node-versions.ts'
import { HELP, PLATFORM, readMatrix } from './options.ts'
import { packPackage, type Workspace } from './pack-package.ts'
import { PUBLIC_PROJECTS } from './projects.ts'
import { runPlatformAsStranger } from './run-platform.ts'
import { serveProjectAsStranger } from './serve-project.ts'
import type { Stranger } from './stranger.ts'

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
  if (bin === null) console.info(`Node ${version} cannot be had on this machine: not tested.`)
  else
    for (const account of findAccounts(options.user))
      for (const project of options.project)
        outcomes.push(await tryProject({ folder, version, bin, account }, project))
}
const failed = outcomes.filter((held) => !held).length
console.info(`\n${outcomes.length - failed} passed, ${failed} failed`)
process.exit(failed === 0 && outcomes.length > 0 ? 0 : 1)

/** @returns whether it was served */
async function tryProject(stranger: Stranger, name: string): Promise<boolean> {
  const { version, account } = stranger
  process.stdout.write(`Node ${version}, ${account.name}, ${name} … `)
  const project = PUBLIC_PROJECTS[name]
  try {
    if (name === PLATFORM)
      console.info(await runPlatformAsStranger(stranger, tarballOf('platform')))
    else if (project)
      console.info(await serveProjectAsStranger(stranger, tarballOf('engine'), { name, project }))
    else throw new Error(`there is no project ${name}`)
    return true
  } catch (error) {
    console.info(`failed: ${error instanceof Error ? error.message : String(error)}`)
    return false
  }
}

/** Packed when it is first wanted. */
function tarballOf(workspace: Workspace): string {
  tarballs[workspace] ??= packPackage(workspace, folder)
  return tarballs[workspace]
}
