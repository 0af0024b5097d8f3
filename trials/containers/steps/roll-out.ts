import {
  beginSignIn,
  createPersonRequest,
  PEOPLE_ROOT,
  verifyPerson,
} from '../../faults/verify-people.ts'
import { mustRun } from '../programs.ts'
import { describeOutcome, startLoad } from './load.ts'
import { postJson } from './people.ts'
import { expectThat, type World } from './world.ts'

const PAGE = 'docs/operations/roll-out.md'

/** The requests per second of each load. */
const PER_SECOND = 10

/**
 * Builds a new version of the images. It differs from the current version only by a label, which stands for a change of the sources.
 *
 * @param images names without versions
 */
export async function buildVersion(
  { stack }: World,
  images: readonly string[],
  version: string,
): Promise<void> {
  const current = stack.envFile.value('PLATFORM_VERSION')
  for (const image of images)
    await mustRun(['docker', 'build', '--quiet', '--tag', `${image}:${version}`, '-'], {
      env: stack.env,
      input: `FROM ${image}:${current}\nLABEL version=${version}\n`,
    })
}

/** Rolls out a service with the command of docs/operations/roll-out.md. */
export async function rollOut({ stack }: World, service: string, count: number): Promise<void> {
  await stack.asDocumented(PAGE, 'roll-out', { SERVICE: service, COUNT: String(count) })
}

/**
 * Rolls out a service while people verify, sign-ins begin and a team reads.
 *
 * @throws Error if a request failed, a person was not counted once, or an old instance is left
 */
export async function rollOutUnderLoad(
  world: World,
  service: string,
  count: number,
): Promise<string> {
  const before = await world.stack.containers(service)
  const result = await underLoad(world, () => rollOut(world, service, count))
  const after = await world.stack.containers(service)
  const old = after.filter(({ ID }) => before.some((container) => container.ID === ID))
  expectThat(old.length === 0, `${old.length} old instances are left`)
  expectThat(after.length === count, `${service} must have ${count} instances; got ${after.length}`)
  return result
}

/**
 * Runs the work under load.
 *
 * @param mayFail if true, callers may get the error that something is unavailable
 * @throws Error if a request failed, or a verified person was not counted once
 */
export async function underLoad(
  world: World,
  work: () => Promise<unknown>,
  mayFail = false,
): Promise<string> {
  const people: string[] = []
  const loads = [
    async () => {
      const person = await createPersonRequest(PEOPLE_ROOT)
      const outcome = await verifyPerson(world.baseUrl, person)
      if (outcome === '200') people.push(person.nullifier_hash)
      return outcome
    },
    () => beginSignIn(world),
    () => readAsTeam(world),
  ].map((send) => startLoad({ send, perSecond: PER_SECOND }))
  const stopLoads = () => Promise.all(loads.map((load) => load.stop()))
  await work().catch(async (error: unknown) => {
    await stopLoads()
    throw error
  })
  const outcomes = await stopLoads()
  const [verifications, signIns, reads] = outcomes.map((outcome) =>
    describeOutcome(outcome, mayFail),
  )
  const list = people.map((hash) => `'${hash}'`).join()
  const counts = await world.stack.sql(
    `select count(*), count(*) filter (where uses = 1) from nullifier where nullifier_hash in (${list})`,
  )
  expectThat(
    counts === `${people.length}|${people.length}`,
    `all ${people.length} verified people must be in the database and counted once; got ${counts}`,
  )
  return `people: ${verifications}; sign-ins: ${signIns}; reads: ${reads}`
}

async function readAsTeam({ baseUrl, apiKey }: World): Promise<string> {
  const query = '{ app { id name } }'
  const { status, body } = await postJson(
    `${baseUrl}/v1/graphql`,
    { query },
    { authorization: `Bearer ${apiKey}` },
  )
  return status === 200 && 'data' in Object(body) ? '200' : `${status} ${JSON.stringify(body)}`
}
