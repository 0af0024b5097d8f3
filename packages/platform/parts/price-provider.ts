import { createServer } from 'node:http'
import { listenOn } from '../../../lib/runtime/http/listen.ts'

export type PriceProvider = { url: string; stop(): Promise<void> }

/** Recorded prices of one unit, by token id and currency. */
const RECORDED_PRICES: Record<string, Record<string, number>> = {
  'worldcoin-wld': {
    usd: 0.930412,
    eur: 0.801873,
    gbp: 0.704551,
    jpy: 141.26,
    chf: 0.74818,
    cad: 1.30352,
    aud: 1.43217,
    sgd: 1.20811,
    krw: 1331.84,
    inr: 82.51,
    myr: 3.9217,
    php: 54.12,
    brl: 5.0129,
    mxn: 17.3305,
    ars: 1294.5,
    clp: 889.71,
    cop: 3662.4,
    pen: 3.2811,
  },
  'usd-coin': {
    usd: 0.999812,
    eur: 0.861694,
    gbp: 0.757101,
    jpy: 151.79,
    chf: 0.803984,
    cad: 1.400751,
    aud: 1.538993,
    sgd: 1.298214,
    krw: 1431.17,
    inr: 88.66,
    myr: 4.2142,
    php: 58.15,
    brl: 5.3868,
    mxn: 18.6231,
    ars: 1391.06,
    clp: 956.08,
    cop: 3935.61,
    pen: 3.5258,
  },
}

/**
 * Starts a price provider that returns recorded prices with the current time, so that prices work without the internet. Listens
 * on loopback only.
 */
export async function startPriceProvider(port: number): Promise<PriceProvider> {
  const server = createServer((request, response) => {
    // Does not parse the URL: `//` is invalid, and an exception here would end every part of `npm start`.
    const [, query = ''] = (request.url ?? '').split('?')
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(pricesFor(new URLSearchParams(query))))
  })
  await listenOn(server, { host: '127.0.0.1', port })
  return {
    url: `http://127.0.0.1:${port}/simple/price`,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function pricesFor(search: URLSearchParams) {
  const ids = listParameter(search, 'ids')
  const currencies = listParameter(search, 'vs_currencies')
  const last_updated_at = Math.floor(Date.now() / 1_000)
  const requestedTokens = Object.entries(RECORDED_PRICES).filter(([id]) => ids.includes(id))
  return Object.fromEntries(
    requestedTokens.map(([id, prices]) => {
      const requestedPrices = Object.entries(prices).filter(([currency]) =>
        currencies.includes(currency),
      )
      return [id, { ...Object.fromEntries(requestedPrices), last_updated_at }]
    }),
  )
}

function listParameter(search: URLSearchParams, name: string): string[] {
  return search.get(name)?.split(',') ?? []
}
