import { developmentKey } from '../../simulator/development-key/development-key.ts'
import { proveAs } from '../../simulator/prove-as.ts'
import { type Facts, readFacts } from '../facts.ts'
import { readSettings } from '../settings.ts'
import { payments } from './payments.ts'
import { type Reply, send } from './show.ts'
import { signIn } from './sign-in.ts'

const APP = 'app_staging_00000000000000000000000000000001'

const VOTES = `query Votes($app: String!) {
  action(where: {app_id: {_eq: $app}, action: {_eq: "vote"}, status: {_eq: "active"}}) {
    name
    nullifiers(order_by: {created_at: desc}, limit: 2) { nullifier_hash uses created_at }
  }
}`

/** `npm run demo`: a guided tour against the running platform; every run brings new people. */
try {
  await tour(readFacts(readSettings(process.env).folder))
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}

async function tour(facts: Facts) {
  const { baseUrl, rpcUrl, apiKey, otherApiKey } = facts
  const verify = { url: `${baseUrl}/api/v2/verify/${APP}` }
  const graphql = { url: `${baseUrl}/v1/graphql`, body: { query: VOTES, variables: { app: APP } } }

  say("Three people's devices prove that they are in the group (a second or two each) …")
  const [alice, bob, carol] = await prepareProofs(rpcUrl)

  say('1. Alice votes.')
  expect(200, await send({ ...verify, body: alice }))

  say('2. Alice votes again. However she sends it, she is counted once.')
  expect(400, await send({ ...verify, body: alice }))

  say('3. Bob is another person.')
  expect(200, await send({ ...verify, body: bob }))

  say(
    "4. Somebody changes the signal that Carol's proof is bound to. It holds for no other signal.",
  )
  const tampered = { ...carol, signal_hash: `0x${'1'.padStart(64, '0')}` }
  expect(400, await send({ ...verify, body: tampered }))

  say("5. The app's team reads who voted, over GraphQL, with its API key.")
  expect(200, await send({ ...graphql, apiKey }))

  say("6. Another team's key sees nothing of it.")
  expect(200, await send({ ...graphql, apiKey: otherApiKey }))

  await payments(facts, { app: APP, say, expect }, 7)

  say('11. Alice signs in to a website that trusts our sign-in server.')
  await signIn(facts, `alice-${Date.now().toString(36)}`)

  say('That is all. Next: npm run --silent simulate -- --app <id> --action claim')
}

async function prepareProofs(rpcUrl: string) {
  const visit = Date.now().toString(36)
  const key = await developmentKey()
  const simulate = (name: string) =>
    proveAs(`${name}-${visit}`, { appId: APP, action: 'vote' }, { rpcUrl, key })
  return [await simulate('alice'), await simulate('bob'), await simulate('carol')] as const
}

function say(text: string) {
  console.info(`\n\x1b[1m${text}\x1b[0m`)
}

function expect(status: number, reply: Reply) {
  if (reply.status !== status)
    throw new Error(`That is not what should have happened: ${status} was expected.`)
}
