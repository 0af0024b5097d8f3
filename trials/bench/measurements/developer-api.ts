import { startThrowawayPlatform } from '../../../packages/platform/testing/throwaway.ts'
import { startBareServer } from '../contenders/bare-server.ts'
import { compareServers, repeatCall } from '../load/compare-servers.ts'
import type { Call } from '../load/http-load.ts'
import { measureUnderLogins } from '../load/lookups-during-logins.ts'
import type { Figure } from '../report/figure.ts'

const APP = 'app_staging_00000000000000000000000000000001'
const CONNECTIONS = 16
const PER_ROUND = 4_000
const ROUNDS = 3

/** Compares public lookups with bare Express, and measures how much a flood of logins slows them. */
export async function measureDeveloperApi(): Promise<Figure[]> {
  const platform = await startThrowawayPlatform()
  const { baseUrl } = platform.facts
  const bare = await startBareServer(platform.facts)
  try {
    const hash = `0x${'1'.padStart(64, '0')}`
    const body = JSON.stringify({ action: 'vote', nullifier_hash: hash })
    const precheck = { path: `/api/v1/precheck/${APP}`, body }
    const barePrecheck = { path: `/precheck/${APP}`, body }
    const compareCalls = (ours: Call, bareCall: Call) => ({
      ours: { url: baseUrl, calls: repeatCall(ours, PER_ROUND) },
      baseline: { url: bare.url, calls: repeatCall(bareCall, PER_ROUND) },
      rounds: ROUNDS,
      connections: CONNECTIONS,
    })
    return [
      await compareServers({
        name: 'precheck ÷ express with two lookups by pg',
        target: { atLeast: 0.6 },
        ...compareCalls(precheck, barePrecheck),
      }),
      await compareServers({
        name: 'jwks ÷ express with a fixed JSON',
        target: { atLeast: 0.8 },
        ...compareCalls({ path: '/api/v1/jwks', body: '' }, { path: '/jwks', body: '' }),
      }),
      ...(await measureUnderLogins(
        { url: baseUrl, call: precheck },
        { url: bare.url, call: barePrecheck },
      )),
    ]
  } finally {
    await bare.stop()
    await platform.stop()
  }
}
