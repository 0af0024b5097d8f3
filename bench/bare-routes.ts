import express from 'express'
import { Pool } from 'pg'

/** What payments and prices are compared with: Express with one statement, and Express with none. */
const { DATABASE_URL, PORT } = process.env
const pool = new Pool({ connectionString: DATABASE_URL, max: 10 })

const STATUS = {
  name: 'status',
  text: `select reference, transaction_hash, transaction_status, "from", chain, "timestamp", token_amount, token, "to", app_id
    from transaction
    where id = $1 and app_id = $2`,
}

const PRICE = { asset: 'USD', amount: '930412', decimals: 6, symbol: 'USD' }
const PRICES = {
  result: { prices: { WLD: { USD: PRICE, EUR: PRICE }, USDCE: { USD: PRICE, EUR: PRICE } } },
}

const web = express()
web.get('/', (_request, response) => {
  response.send('OK')
})
web.get('/transaction/:id', async (request, response) => {
  const { rows } = await pool.query({
    ...STATUS,
    values: [request.params.id, request.query.app_id],
  })
  response.json(rows[0])
})
web.get('/prices', (_request, response) => {
  response.json(PRICES)
})
web.listen(Number(PORT), '127.0.0.1')
// Whoever started this process is gone.
process.once('disconnect', () => process.exit())
