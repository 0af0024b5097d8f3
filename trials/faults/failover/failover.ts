import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { endWithParent } from '../../../local/process/end-with-parent.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import { debianRoot } from './debian-root.ts'
import { parseFaultOptions } from './options.ts'
import { host, missingMeans } from './requirements.ts'

/**
 * `npm run test:failover [-- NAME … --times N --write]`: the platform on three database machines, which are broken in
 * every way known here.
 *
 * This process only makes what the machines need, and the namespaces in which `play-faults.ts` runs. When that ends, the
 * kernel removes them, with every process, network and mount in them.
 */
const CACHE = fileURLToPath(new URL('../../../.cache/', import.meta.url))
const PLAY = fileURLToPath(new URL('./play-faults.ts', import.meta.url))

const args = process.argv.slice(2)
// Says what is wrong with them before anything is made.
parseFaultOptions(args)
const missing = missingMeans(host)
if (missing.length > 0) {
  console.error(missing.join('\n'))
  process.exit(2)
}
const root = debianRoot(CACHE)
// Where the machines and the platform keep what they have, with their logs.
const folder = temporaryFolder('failover-')
const namespaces = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc']
// A Hasura that runs already has to reach the machines.
if (!process.env.HASURA_GRAPHQL_ENDPOINT) namespaces.push('--net')
const child = spawn('unshare', [...namespaces, process.execPath, PLAY, root, ...args], {
  env: { ...process.env, TMPDIR: folder },
  stdio: 'inherit',
})
// `unshare` heeds no other signal; the kernel then ends everything inside.
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
