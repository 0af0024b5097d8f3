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

/** Requests a second of each load. */
const PER_SECOND = 10

/**
 * Makes a version of an image that differs from the last one by a label, as a build of changed sources would make it.
 *
 * @param images without their versions
 */
export async function makeVersion(
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

/** Rolls a service out as docs/operations/roll-out.md says. */
export async function rollOut({ stack }: World, service: string, count: number): Promise<void> {
  await stack.asDocumented(PAGE, 'roll-out', { SERVICE: service, COUNT: String(count) })
}

/**
 * Rolls a service out while people verify, sign-ins begin and a team reads.
 *
 * @throws Error when a request failed, a person was not counted once, or an old instance is left
 */
export async function rollOutUnderLoad(
  world: World,
  service: string,
  count: number,
): Promise<string> {
  const before = await world.stack.containers(service)
  const seen = await underLoad(world, () => rollOut(world, service, count))
  const after = await world.stack.containers(service)
  const old = after.filter(({ ID }) => before.some((container) => container.ID === ID))
  expectThat(old.length === 0, `${old.length} old instances are left`)
  expectThat(after.length === count, `there are ${after.length} instances instead of ${count}`)
  return seen
}

/**
 * Does something under load.
 *
 * @param mayFail whether callers may be told that something is unavailable
 * @throws Error when a request failed, or a person who was verified is not counted, or twice
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
      const told = await verifyPerson(world.baseUrl, person)
      if (told === '200') people.push(person.nullifier_hash)
      return told
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
  const [verified, begun, read] = outcomes.map((outcome) => describeOutcome(outcome, mayFail))
  const list = people.map((hash) => `'${hash}'`).join()
  const counted = await world.stack.sql(
    `select count(*), count(*) filter (where uses = 1) from nullifier where nullifier_hash in (${list})`,
  )
  expectThat(
    counted === `${people.length}|${people.length}`,
    `of ${people.length} people, in the database and counted once: ${counted}`,
  )
  return `people: ${verified}; sign-ins: ${begun}; reads: ${read}`
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
