import express from 'express'
import { Pool } from 'pg'

/**
 * What the developer API is measured against: express and pg with nothing around them. It answers a
 * fixed JSON, and what a precheck looks up, by two prepared statements.
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

express()
  .get('/healthz', (_request, response) => {
    response.send('OK')
  })
  .post('/jwks', (_request, response) => {
    response.json(keys)
  })
  .post('/precheck/:id', express.json(), async ({ params, body }, response) => {
    const { id } = params
    const app = await pool.query({ ...APP, values: [id] })
    const action = await pool.query({ ...ACTION, values: [id, body.action, body.nullifier_hash] })
    response.json({ ...app.rows[0], action: action.rows[0] })
  })
  .listen(Number(PORT), '127.0.0.1')

process.once('disconnect', () => process.exit())
