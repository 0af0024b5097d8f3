import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { encodeFunctionData, type Hex, numberToHex } from 'viem'
import { abi } from '../../../local/chain/abi.ts'
import { connectLocalChain, OWNER, sendAsOwner } from '../../../local/chain/local-chain.ts'
import { readSecrets } from '../../../packages/platform/settings/secrets.ts'
import {
  startThrowawayPlatform,
  type ThrowawayPlatform,
} from '../../../packages/platform/testing/throwaway.ts'
import { startBareServer } from '../contenders/bare-server.ts'
import { compareServers, repeatCall } from '../load/compare-servers.ts'
import type { Call } from '../load/http-load.ts'
import type { Figure } from '../report/figure.ts'

const APP = 'app_staging_00000000000000000000000000000001'
const SHOP = '0x00000000000000000000000000000000005409ee'
const CALLS_PER_ROUND = 4_000
const ROUNDS = 4
const CONNECTIONS = 16 * availableParallelism()
const PENDING_COUNT = 10_000

/**
 * Compares a final status and prices with bare Express routes that send similar responses. Then measures ten thousand pending
 * payments, which one scheduled run reads from the local chain.
 */
export async function measurePayments(): Promise<Figure[]> {
  const platform = await startThrowawayPlatform()
  const database = new Client(platform.facts.databaseUrl)
  await database.connect()
  try {
    const { baseUrl } = platform.facts
    const bare = await startBareServer(platform.facts)
    const compareCalls = (ours: Call, bareCall: Call) => ({
      ours: { url: baseUrl, calls: repeatCall(ours, CALLS_PER_ROUND) },
      baseline: { url: bare.url, calls: repeatCall(bareCall, CALLS_PER_ROUND) },
      rounds: ROUNDS,
      connections: CONNECTIONS,
    })
    const status = await compareServers({
      name: 'a final status ÷ a bare route with one statement',
      target: { atLeast: 0.6 },
      ...compareCalls(
        await makeFinalPayment(platform, database),
        createGetCall(`/transaction/${FINAL_PAYMENT}?app_id=${APP}`),
      ),
    })
    const prices = await compareServers({
      name: 'prices ÷ a bare route with constant prices',
      target: { atLeast: 0.8 },
      ...compareCalls(
        createGetCall(`/public/v1/miniapps/prices?${SEARCH}`),
        createGetCall('/prices'),
      ),
    })
    await bare.stop()
    return [status, prices, ...(await measurePendingPayments(platform, database))]
  } finally {
    await database.end()
    await platform.stop()
  }
}

const FINAL_PAYMENT = `txn_${'f'.repeat(32)}`
const SEARCH = 'cryptoCurrencies=WLD,USDCE&fiatCurrencies=USD,EUR'

function createGetCall(path: string, headers: Record<string, string> = {}): Call {
  return { method: 'GET', path, body: '', headers }
}

async function makeFinalPayment({ facts }: ThrowawayPlatform, database: Client): Promise<Call> {
  await database.query(
    `begin;
    set local platform.fixed_ids = 'on';
    insert into transaction (id, app_id, reference, chain, transaction_hash, token, token_amount, "to", transaction_status, is_final)
    values ('${FINAL_PAYMENT}', '${APP}', 'final', 'local', '0x${'f'.repeat(64)}', 'USDCE', '1000000', '${SHOP}', 'mined', true);
    commit`,
  )
  const path = `/api/v2/minikit/transaction/${FINAL_PAYMENT}?app_id=${APP}&type=payment`
  return createGetCall(path, { authorization: `Bearer ${facts.apiKey}` })
}

async function measurePendingPayments(
  platform: ThrowawayPlatform,
  database: Client,
): Promise<Figure[]> {
  const hashes = await sendPayments(platform)
  await waitForScheduledRun()
  await database.query(
    `insert into transaction (app_id, reference, chain, transaction_hash, token, token_amount, "to")
    select '${APP}', hash, 'local', hash, 'USDCE', '1', '${SHOP}' from unnest($1::text[]) as hash`,
    [hashes],
  )
  const before = await readResidentMb(platform)
  const startTime = performance.now()
  const { mined, ...otherCounts } = await runSchedule(platform)
  const seconds = (performance.now() - startTime) / 1_000
  if (mined !== PENDING_COUNT)
    throw new Error(
      `Only ${mined} of ${PENDING_COUNT} payments were mined: ${JSON.stringify(otherCounts)}`,
    )
  const after = await readResidentMb(platform)
  const name = `${PENDING_COUNT.toLocaleString('en')} pending payments in one run`
  const note = `${after.toFixed(0)} MB resident, ${(after - before).toFixed(0)} MB more than before`
  return [{ name, value: seconds, unit: 's', target: { atMost: 30 }, note }]
}

/** Sends payments of 1 unit each; a block contains some hundred. */
async function sendPayments({ facts }: ThrowawayPlatform): Promise<Hex[]> {
  const { rpcUrl, tokens } = facts
  const chain = await connectLocalChain(rpcUrl)
  const mint = {
    abi: abi.token,
    functionName: 'mint',
    args: [OWNER, BigInt(PENDING_COUNT)],
  } as const
  await sendAsOwner(chain, tokens.usdce, encodeFunctionData(mint))
  const pay = { abi: abi.token, functionName: 'transfer', args: [SHOP, 1n] } as const
  const transaction = { from: OWNER, to: tokens.usdce, data: encodeFunctionData(pay) }
  const first = await chain.getTransactionCount({ address: OWNER })
  await chain.setAutomine(false)
  const hashes: Hex[] = []
  for (let firstIndex = 0; firstIndex < PENDING_COUNT; firstIndex += 1_000) {
    const params = Array.from({ length: 1_000 }, (_, i) => ({
      ...transaction,
      gas: numberToHex(60_000),
      nonce: numberToHex(first + firstIndex + i),
    }))
    hashes.push(...(await sendTransactions(rpcUrl, params)))
  }
  await chain.mine({ blocks: 40 })
  await chain.setAutomine(true)
  return hashes
}

async function sendTransactions(rpcUrl: string, transactions: object[]): Promise<Hex[]> {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(
      transactions.map((params, id) => ({
        jsonrpc: '2.0',
        id,
        method: 'eth_sendTransaction',
        params: [params],
      })),
    ),
  })
  const answers: { result: Hex }[] = JSON.parse(await response.text())
  return answers.map(({ result }) => result)
}

/** Waits until no scheduled run of the platform is near, since that run would do part of the measured work. */
async function waitForScheduledRun() {
  const msToNextRun = 60_000 - (Date.now() % 60_000)
  // The scheduled run begins some seconds after the minute.
  if (msToNextRun < 35_000) await sleep(msToNextRun + 12_000)
}

async function runSchedule({ facts, folder }: ThrowawayPlatform): Promise<{ mined: number }> {
  const { internalSecret } = readSecrets(join(folder, 'secrets.json'))
  const response = await fetch(`${facts.baseUrl}/api/_transactions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${internalSecret}` },
  })
  return JSON.parse(await response.text())
}

async function readResidentMb({ metricsUrl }: ThrowawayPlatform): Promise<number> {
  const text = await (await fetch(metricsUrl)).text()
  return Number(/^process_resident_memory_bytes(?:\{.*\})? (\S+)/m.exec(text)?.[1]) / 1_048_576
}
