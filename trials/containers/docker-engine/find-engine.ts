import { runProgram } from '../programs.ts'

/** The first version with the setting `start_interval` for health checks. */
const LEAST_ENGINE = 25
/** The first version that supports `!override`, which docker-compose.engine.yml uses. */
const LEAST_COMPOSE = [2, 24, 4] as const

/**
 * Checks that Docker and Compose are installed and new enough.
 *
 * @returns a text with both versions
 * @throws Error that explains how to install them
 */
export async function requireEngine(env: NodeJS.ProcessEnv): Promise<string> {
  const engine = await runProgram(['docker', 'version', '--format', '{{.Server.Version}}'], { env })
  if (engine.code !== 0) throw new Error(`No Docker engine is running.\n\n${INSTRUCTIONS}`)
  const version = engine.output.trim()
  if (Number.parseInt(version, 10) < LEAST_ENGINE)
    throw new Error(
      `The Docker engine must be ${LEAST_ENGINE} or later; got ${version}.\n\n${INSTRUCTIONS}`,
    )
  const compose = await runProgram(['docker', 'compose', 'version', '--short'], { env })
  const composeVersion = compose.output.trim()
  if (compose.code !== 0 || !isComposeNewEnough(composeVersion))
    throw new Error(
      `Docker Compose must be ${LEAST_COMPOSE.join('.')} or later; got ${composeVersion || 'none'}.\n\n${INSTRUCTIONS}`,
    )
  return `Docker ${version}, Compose ${composeVersion}`
}

/** Reports whether a version of Compose, such as `2.40.3-3` or `v2.24.0`, is new enough. */
export function isComposeNewEnough(version: string): boolean {
  const [, ...parts] = /^v?(\d+)\.(\d+)(?:\.(\d+))?/.exec(version) ?? []
  const differences = LEAST_COMPOSE.map((least, index) => Number(parts[index] ?? 0) - least)
  return parts.length > 0 && (differences.find((difference) => difference !== 0) ?? 0) >= 0
}

const INSTRUCTIONS = `Install a Docker engine ${LEAST_ENGINE} or later, and the Compose plugin ${LEAST_COMPOSE.join('.')} or later:

- on your own machine: Docker Desktop, or https://docs.docker.com/engine/install/
- on Debian 13 or later: apt-get install docker.io docker-cli docker-compose docker-buildx iptables
- on Linux as root, for this run only, also on an older Debian: apt-get install debootstrap, then
  npm run test:containers -- --start-engine`
