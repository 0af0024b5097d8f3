import { parseArgs, styleText } from 'node:util'
import { z } from 'zod'
import { exitOnBrokenPipe } from '../../../../local/process/broken-pipe.ts'
import { WrongUsage } from '../../../../local/process/command-line.ts'
import { findDataFolder } from '../../../../local/process/data-folders.ts'
import { formatCommandLine, quoteForShell } from '../../../../local/process/format-command-line.ts'
import { developmentKey } from '../../../../local/simulator/development-key/development-key.ts'
import { createProver } from '../../../../local/simulator/prove.ts'
import { proveForPerson } from '../../../../local/simulator/prove-for-person.ts'
import { type Facts, waitForFacts } from '../../facts.ts'
import { showPayments } from './payments.ts'
import { postAndShow, type Reply } from './show.ts'
import { signIn } from './sign-in.ts'

const APP = 'app_staging_00000000000000000000000000000001'

const VOTES = `query Votes($app: String!) {
  action(where: {app_id: {_eq: $app}, action: {_eq: "vote"}, status: {_eq: "active"}}) {
    name
    nullifiers(order_by: {created_at: desc}, limit: 2) { nullifier_hash uses created_at }
  }
}`

const USAGE = `Usage: ${formatCommandLine('demo', '[--data <folder>]')}
  shows a guided tour of the running platform, in a minute

  --data <folder>  the platform's data folder; by default DATA_FOLDER, or the folder of the running platform`

const OPTIONS = {
  data: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

/**
 * The command `demo`: a guided tour of the running platform. Each run creates new people.
 *
 * @returns the exit code
 */
export async function runDemo(args: string[]): Promise<number> {
  exitOnBrokenPipe()
  try {
    const { help, data } = parseDemoArguments(args)
    if (help) console.info(USAGE)
    else await showTour(await findPlatform(data), data)
    return 0
  } catch (error) {
    if (error instanceof WrongUsage) {
      console.error(`${error.message}\n\n${USAGE}`)
      return 2
    }
    console.error(`\n${error instanceof Error ? error.message : error}`)
    return 1
  }
}

function parseDemoArguments(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS }).values
  } catch (cause) {
    throw new WrongUsage(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

async function findPlatform(data: string | undefined): Promise<Facts> {
  const folder = await findDataFolder(data ?? process.env.DATA_FOLDER)
  return waitForFacts(folder, () =>
    console.info(`The platform in ${folder} is starting. Waiting until it is ready …`),
  )
}

async function showTour(facts: Facts, data: string | undefined) {
  const { baseUrl, rpcUrl, apiKey, otherApiKey } = facts
  const verify = { url: `${baseUrl}/api/v2/verify/${APP}` }
  const graphql = { url: `${baseUrl}/v1/graphql`, body: { query: VOTES, variables: { app: APP } } }

  printStep('The devices of three people make proofs (a second or two each) …')
  const [alice, bob, carol] = await prepareProofs(rpcUrl)

  const key = { idempotencyKey: `"ballot-${Date.now().toString(36)}"` }

  printStep('1. Alice votes. The app sends her vote with an idempotency key.')
  const firstReply = await postAndShow({ ...verify, ...key, body: alice })
  expectReply(200, firstReply)

  printStep(
    '2. The app retries the request, as if the response had been lost. It gets the same response.',
  )
  const retryReply = await postAndShow({ ...verify, ...key, body: alice })
  expectReply(200, retryReply)
  expectSame(firstReply, retryReply)

  printStep('3. Alice votes again. The platform rejects her second vote.')
  expectReply(400, await postAndShow({ ...verify, body: alice }))

  printStep('4. Bob votes. He is another person.')
  expectReply(200, await postAndShow({ ...verify, body: bob }))

  printStep(
    "5. An attacker changes the signal of Carol's vote. The platform rejects it, since her proof is bound to her signal.",
  )
  const forgedProof = { ...carol, signal_hash: `0x${'1'.padStart(64, '0')}` }
  expectReply(400, await postAndShow({ ...verify, body: forgedProof }))

  printStep("6. The app's team reads the votes over GraphQL with its API key.")
  expectActions(1, await postAndShow({ ...graphql, apiKey }))

  printStep("7. Another team's API key cannot read the votes.")
  expectActions(0, await postAndShow({ ...graphql, apiKey: otherApiKey }))

  await showPayments(facts, { app: APP, print: printStep, expect: expectReply }, 8)

  printStep('13. Alice signs in to a website with the sign-in server.')
  await signIn(facts, `alice-${Date.now().toString(36)}`)

  const folder = data === undefined ? '' : ` --data ${quoteForShell(data)}`
  const next = formatCommandLine('simulate', `--app ${APP} --action claim${folder}`)
  printStep(`The tour is over. Next: ${next}`)
}

async function prepareProofs(rpcUrl: string) {
  const suffix = Date.now().toString(36)
  const tools = { rpcUrl, prove: createProver(await developmentKey()) }
  const simulate = async (name: string) => {
    const proof = await proveForPerson(`${name}-${suffix}`, { appId: APP, action: 'vote' }, tools)
    console.info(`   ${name}'s proof is ready`)
    return proof
  }
  return [await simulate('Alice'), await simulate('Bob'), await simulate('Carol')] as const
}

function printStep(text: string) {
  console.info(`\n${styleText('bold', text)}`)
}

function expectSame(firstReply: Reply, retryReply: Reply) {
  if (JSON.stringify(firstReply.body) !== JSON.stringify(retryReply.body))
    throw new Error('Step failed: the two responses differ.')
}

/** GraphQL reports errors in a response with the status 200. */
const ErrorBody = z.object({ errors: z.array(z.unknown()) })

function expectReply(status: number, reply: Reply) {
  if (reply.status !== status)
    throw new Error(`Step failed: expected status ${status}, got ${reply.status}.`)
  if (ErrorBody.safeParse(reply.body).success)
    throw new Error('Step failed: the response contains errors.')
}

const VotesBody = z.object({ data: z.object({ action: z.array(z.unknown()) }) })

function expectActions(count: number, reply: Reply) {
  expectReply(200, reply)
  const { length } = VotesBody.parse(reply.body).data.action
  if (length !== count) throw new Error(`Step failed: expected ${count} actions, got ${length}.`)
}
