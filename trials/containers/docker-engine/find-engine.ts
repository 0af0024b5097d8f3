import { runProgram } from '../programs.ts'

/** The first whose health checks have an interval of their own while a container starts. */
const LEAST_ENGINE = 25
/** The first that reads the variables of a file that COMPOSE_ENV_FILES names. */
const LEAST_COMPOSE = [2, 24] as const

/**
 * Makes sure that a Docker engine and Compose can be used, and are new enough.
 *
 * @returns their versions, in words
 * @throws Error that says how to get them
 */
export async function requireEngine(env: NodeJS.ProcessEnv): Promise<string> {
  const engine = await runProgram(['docker', 'version', '--format', '{{.Server.Version}}'], { env })
  if (engine.code !== 0) throw new Error(`No Docker engine answers.\n\n${HOW_TO_GET_ONE}`)
  const version = engine.said.trim()
  if (Number.parseInt(version, 10) < LEAST_ENGINE)
    throw new Error(`Docker's engine is ${version}.\n\n${HOW_TO_GET_ONE}`)
  const compose = await runProgram(['docker', 'compose', 'version', '--short'], { env })
  const found = compose.said.trim()
  if (compose.code !== 0 || !isComposeNewEnough(found))
    throw new Error(`Docker Compose is ${found || 'not there'}.\n\n${HOW_TO_GET_ONE}`)
  return `Docker ${version}, Compose ${found}`
}

/** Whether a version of Compose, such as `2.40.3-3` or `v2.24.0`, has all that is used here. */
export function isComposeNewEnough(version: string): boolean {
  const [, major = 0, minor = 0] = /^v?(\d+)\.(\d+)/.exec(version) ?? []
  const [leastMajor, leastMinor] = LEAST_COMPOSE
  const sameMajor = Number(major) === leastMajor && Number(minor) >= leastMinor
  return Number(major) > leastMajor || sameMajor
}

const HOW_TO_GET_ONE = `A Docker engine ${LEAST_ENGINE} or later is needed, and Compose ${LEAST_COMPOSE.join('.')} or later as Docker's plugin:

- on a machine of your own, Docker Desktop or https://docs.docker.com/engine/install/
- on Debian 13 or later: apt-get install docker.io docker-cli docker-compose docker-buildx iptables
- on Linux as root, for this run alone, also on an older Debian: apt-get install debootstrap, and
  npm run test:containers -- --start-engine`
