import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { endWithParent } from '../../../local/process/end-with-parent.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import { installDebian } from './debian-root.ts'
import { parseFaultOptions } from './options.ts'
import { findMissingRequirements, host } from './requirements.ts'

/**
 * `npm run test:failover [-- NAME … --times N --write]`: runs the platform with three database machines, and causes every
 * fault of scenarios.ts, or the faults with a NAME in their title.
 *
 * This process installs the machines' Debian and starts `run-faults.ts` in new namespaces. When run-faults.ts ends, the
 * kernel removes the namespaces with their processes, networks and mounts.
 */
const CACHE = fileURLToPath(new URL('../../../.cache/', import.meta.url))
const RUN_FAULTS = fileURLToPath(new URL('./run-faults.ts', import.meta.url))

const args = process.argv.slice(2)
// Reports wrong arguments before the installation.
parseFaultOptions(args)
const missingRequirements = findMissingRequirements(host)
if (missingRequirements.length > 0) {
  console.error(missingRequirements.join('\n'))
  process.exit(2)
}
const root = installDebian(CACHE)
// The data and logs of the machines and the platform.
const folder = temporaryFolder('failover-')
const namespaces = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc']
// An existing Hasura is outside, so it needs this network to connect to the machines.
if (!process.env.HASURA_GRAPHQL_ENDPOINT) namespaces.push('--net')
const child = spawn('unshare', [...namespaces, process.execPath, RUN_FAULTS, root, ...args], {
  env: { ...process.env, TMPDIR: folder },
  stdio: 'inherit',
})
// `unshare` ignores other signals. When it ends, the kernel ends every process inside.
endWithParent(child, 'SIGKILL')
let isInterrupted = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    isInterrupted = true
    child.kill('SIGKILL')
  })
await once(child, 'exit')
if (child.exitCode === 0 || isInterrupted) rmSync(folder, { recursive: true })
else console.info(`The logs are in ${folder}.`)
process.exitCode = child.exitCode ?? 1
