import express, { type Request } from 'express'
import { Pool } from 'pg'

/**
 * The baseline of the developer API: bare Express and pg. Keys and prices are constant responses. A precheck and a status
 * read the same rows as the developer API, with prepared statements.
 */
const { DATABASE_URL, PORT, KEYS = '{}' } = process.env
const pool = new Pool({ connectionString: DATABASE_URL, max: 10 })
const keys: unknown = JSON.parse(KEYS)

const APP = {
  name: 'app',
  text: 'select id, engine, is_staging, is_verified, name, logo_url from app where id = $1',
}
const ACTION = {
  name: 'action',
  text: `select a.*, n.uses
  from action a
  left join nullifier n on n.action_id = a.id and n.nullifier_hash = $3
  where a.app_id = $1 and a.action = $2`,
}
const STATUS = {
  name: 'status',
  text: `select reference, transaction_hash, transaction_status, "from", chain, "timestamp", token_amount, token, "to", app_id
    from transaction
    where id = $1 and app_id = $2`,
}

type Precheck = { action: string; nullifier_hash: string }

const PRICE = { asset: 'USD', amount: '930412', decimals: 6, symbol: 'USD' }
const PRICES = {
  result: { prices: { WLD: { USD: PRICE, EUR: PRICE }, USDCE: { USD: PRICE, EUR: PRICE } } },
}

express()
  .get('/healthz', (_request, response) => {
    response.send('OK')
  })
  .post('/jwks', (_request, response) => {
    response.json(keys)
  })
  .get('/prices', (_request, response) => {
    response.json(PRICES)
  })
  .post(
    '/precheck/:id',
    express.json(),
    async ({ params, body }: Request<{ id: string }, object, Precheck>, response) => {
      const { id } = params
      const app = await pool.query<object>({ ...APP, values: [id] })
      const action = await pool.query<object>({
        ...ACTION,
        values: [id, body.action, body.nullifier_hash],
      })
      response.json({ ...app.rows[0], action: action.rows[0] })
    },
  )
  .get('/transaction/:id', async ({ params, query }, response) => {
    const { rows } = await pool.query<object>({ ...STATUS, values: [params.id, query.app_id] })
    response.json(rows[0])
  })
  .listen(Number(PORT), '127.0.0.1')

// The parent process has ended.
process.once('disconnect', () => process.exit())
