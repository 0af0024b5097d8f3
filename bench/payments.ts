import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { encodeFunctionData, type Hex, numberToHex } from 'viem'
import { abi } from '../chain/abi.ts'
import { localChain, OWNER, send } from '../chain/local-chain.ts'
import { freePort } from '../platform/free-ports.ts'
import { startPart } from '../platform/part.ts'
import { readSecrets } from '../platform/secrets.ts'
import { startThrowaway, type Throwaway } from '../platform/throwaway.ts'
import { type Call, closedLoop } from './load.ts'
import type { Row } from './row.ts'

const APP = 'app_staging_00000000000000000000000000000001'
const SHOP = '0x00000000000000000000000000000000005409ee'
/** Before a server is as fast as it stays, its code has run some thousand times. */
const WARM_UP = 5_000
const CALLS_PER_ROUND = 4_000
const ROUNDS = 4
const CONNECTIONS = 16 * availableParallelism()
const PENDING = 10_000

/**
 * A final status and prices, beside bare routes of Express with the same answers; then ten thousand
 * pending payments, read from the local chain in one run of the schedule.
 */
export async function payments(): Promise<Row[]> {
  const platform = await startThrowaway()
  const database = new Client(platform.facts.databaseUrl)
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  await database.connect()
  try {
    const port = await freePort()
    const bareUrl = `http://127.0.0.1:${port}`
    const bare = await startPart({
      name: 'The bare routes',
      entry: fileURLToPath(new URL('./bare-routes.ts', import.meta.url)),
      env: {
        NODE_ENV: 'production',
        DATABASE_URL: platform.facts.databaseUrl,
        PORT: String(port),
      },
      logFile: join(folder, 'log'),
      healthUrl: bareUrl,
      onEnd: () => {},
    })
    const { baseUrl } = platform.facts
    const status = await compare({
      name: 'a final status ÷ a bare route with one statement',
      target: 0.6,
      ours: { baseUrl, call: await finalStatus(platform, database) },
      bare: { baseUrl: bareUrl, call: get(`/transaction/${FINAL}?app_id=${APP}`) },
    })
    const prices = await compare({
      name: 'prices ÷ a bare route without any',
      target: 0.8,
      ours: { baseUrl, call: get(`/public/v1/miniapps/prices?${SEARCH}`) },
      bare: { baseUrl: bareUrl, call: get('/prices') },
    })
    await bare.stop()
    return [status, prices, ...(await refreshPending(platform, database))]
  } finally {
    await database.end()
    await platform.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const FINAL = `txn_${'f'.repeat(32)}`
const SEARCH = 'cryptoCurrencies=WLD,USDCE&fiatCurrencies=USD,EUR'

function get(path: string, headers: Record<string, string> = {}): Call {
  return { method: 'GET', path, body: '', headers }
}

async function finalStatus({ facts }: Throwaway, database: Client): Promise<Call> {
  await database.query(
    `begin;
    set local platform.fixed_ids = 'on';
    insert into transaction (id, app_id, reference, chain, transaction_hash, token, token_amount, "to", transaction_status, is_final)
    values ('${FINAL}', '${APP}', 'final', 'local', '0x${'f'.repeat(64)}', 'USDCE', '1000000', '${SHOP}', 'mined', true);
    commit`,
  )
  const path = `/api/v2/minikit/transaction/${FINAL}?app_id=${APP}&type=payment`
  return get(path, { authorization: `Bearer ${facts.apiKey}` })
}

type Side = { baseUrl: string; call: Call }
type Comparison = { name: string; target: number; ours: Side; bare: Side }

/** The two take turns, so that what else the machine does hits both. */
async function compare({ name, target, ours, bare }: Comparison): Promise<Row> {
  for (const side of [ours, bare]) await time(side, WARM_UP)
  let [seconds, bareSeconds] = [0, 0]
  for (let round = 0; round < ROUNDS; round++) {
    seconds += await time(ours, CALLS_PER_ROUND)
    bareSeconds += await time(bare, CALLS_PER_ROUND)
  }
  const calls = ROUNDS * CALLS_PER_ROUND
  return {
    name,
    value: calls / seconds,
    unit: '/s',
    baseline: calls / bareSeconds,
    wanted: { atLeast: target },
  }
}

async function time({ baseUrl, call }: Side, count: number): Promise<number> {
  const calls = Array.from({ length: count }, () => call)
  const { samples, seconds } = await closedLoop(baseUrl, calls, CONNECTIONS)
  const refused = samples.filter(({ status }) => status !== 200).length
  if (refused > 0) throw new Error(`${refused} of ${count} were refused.`)
  return seconds
}

async function refreshPending(platform: Throwaway, database: Client): Promise<Row[]> {
  const hashes = await sendPayments(platform)
  await database.query(
    `insert into transaction (app_id, reference, chain, transaction_hash, token, token_amount, "to")
    select '${APP}', hash, 'local', hash, 'USDCE', '1', '${SHOP}' from unnest($1::text[]) as hash`,
    [hashes],
  )
  await beAwayFromTheMinute()
  const before = await residentMb(platform)
  const started = performance.now()
  const { mined } = await runSchedule(platform)
  const seconds = (performance.now() - started) / 1_000
  const grown = (await residentMb(platform)) - before
  const name = `${PENDING.toLocaleString('en')} pending payments in one run`
  const note = `${mined} of them by this run, the rest by the platform's own schedule; ${(await residentMb(platform)).toFixed(0)} MB resident, ${grown.toFixed(0)} MB more than before`
  return [{ name, value: seconds, unit: 's', wanted: { atMost: 30 }, note }]
}

/** Each pays 1 unit; they are mined together, some hundred a block. */
async function sendPayments({ facts }: Throwaway): Promise<Hex[]> {
  const { rpcUrl, tokens } = facts
  const chain = await localChain(rpcUrl)
  const mint = { abi: abi.token, functionName: 'mint', args: [OWNER, BigInt(PENDING)] } as const
  await send(chain, tokens.usdce, encodeFunctionData(mint))
  const pay = { abi: abi.token, functionName: 'transfer', args: [SHOP, 1n] } as const
  const transaction = { from: OWNER, to: tokens.usdce, data: encodeFunctionData(pay) }
  const first = await chain.getTransactionCount({ address: OWNER })
  await chain.setAutomine(false)
  const hashes: Hex[] = []
  for (let sent = 0; sent < PENDING; sent += 1_000) {
    const params = Array.from({ length: 1_000 }, (_, i) => ({
      ...transaction,
      gas: numberToHex(60_000),
      nonce: numberToHex(first + sent + i),
    }))
    hashes.push(...(await sendAll(rpcUrl, params)))
  }
  await chain.mine({ blocks: 40 })
  await chain.setAutomine(true)
  return hashes
}

async function sendAll(rpcUrl: string, transactions: object[]): Promise<Hex[]> {
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

/** The platform's own schedule would take a part of the work, as it does when a run takes very long. */
async function beAwayFromTheMinute() {
  const left = 60_000 - (Date.now() % 60_000)
  if (left < 35_000) await pause(left + 3_000)
}

async function runSchedule({ facts, folder }: Throwaway): Promise<{ mined: number }> {
  const { internalSecret } = readSecrets(join(folder, 'secrets.json'))
  const response = await fetch(`${facts.baseUrl}/api/_transactions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${internalSecret}` },
  })
  return JSON.parse(await response.text())
}

async function residentMb({ metricsUrl }: Throwaway): Promise<number> {
  const text = await (await fetch(metricsUrl)).text()
  return Number(/^process_resident_memory_bytes(?:\{.*\})? (\S+)/m.exec(text)?.[1]) / 1_048_576
}
