import { writeFileSync } from 'node:fs'
import { exitOnSignals } from '../../packages/platform/processes/exit-on-signals.ts'
import { startDockerd } from './docker-engine/dockerd.ts'
import { runInNamespaces } from './docker-engine/isolated-engine.ts'
import { prepareMaterial } from './images/base-images.ts'
import { HELP, type Options, parseOptions } from './options.ts'
import { startReport } from './report.ts'
import { runContainers } from './run.ts'

const INTRODUCTION = `# Containers

To judge [docker-compose.yml](../../docker-compose.yml), read these results of \`npm run test:containers\`, which runs the commands of
[these pages](README.md). The first rows name the version of Docker, and the substitute for Hasura if there is one. The times depend
on the machine's other load. Base images that were built here, from packages of Debian and npm, are larger than the published ones.
`

/** `npm run test:containers`: see `--help`. */
try {
  exitOnSignals()
  process.exitCode = await main(parseOptions(process.argv.slice(2)))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}

async function main({ help, startEngine, keepImages, write, room }: Options): Promise<number> {
  const { PATH, HOME = '/root', DOCKER_HOST } = process.env
  const env = { PATH, HOME, ...(DOCKER_HOST && { DOCKER_HOST }) }
  if (help) {
    console.info(HELP)
    return 0
  }
  if (startEngine) {
    await prepareMaterial(env)
    return runInNamespaces({
      program: import.meta.filename,
      options: write ? ['--write'] : [],
      keepsImages: keepImages,
    })
  }
  if (room === undefined) return runAndReport(env, write)
  const engine = await startDockerd(room, env)
  try {
    return await runAndReport({ ...env, DOCKER_HOST: engine.host }, write)
  } finally {
    await engine.stop()
  }
}

async function runAndReport(env: NodeJS.ProcessEnv, write: boolean): Promise<number> {
  const report = startReport(console.info)
  try {
    await runContainers(env, report)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return 1
  } finally {
    console.info(`\n${report.summary()}`)
    if (write)
      writeFileSync('docs/operations/containers.md', `${INTRODUCTION}\n${report.summary()}\n`)
  }
  return report.hasFailed() ? 1 : 0
}
