import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Pool } from 'pg'
import { requireValue } from '../../../lib/runtime/require-value.ts'

/**
 * The baseline of the engine: a server that answers each workload with one hand-written prepared statement, permissions
 * included. It returns the JSON text that PostgreSQL builds.
 */
const STATEMENTS: Record<string, { text: string; values: readonly string[] }> = {
  '/by_pk': {
    values: ['id'],
    text: `
select '{"data":{"purchase":' || coalesce((
  select row_to_json(o)::text
  from (
    select id, customer_id, product_id, quantity, status, placed_on
    from purchase
    where id = $2 and tenant = $1
  ) o
), 'null') || '}}'`,
  },
  '/list': {
    // The limit is a parameter, so that PostgreSQL plans once. With a constant, it plans each execution.
    values: ['status', 'limit'],
    text: `
select '{"data":{"purchases":' || coalesce(json_agg(o)::text, '[]') || '}}'
from (
  select id, customer_id, product_id, quantity, status, placed_on
  from purchase
  where tenant = $1 and status = $2
  order by id
  limit $3
) o`,
  },
  '/nested': {
    values: ['city', 'offset'],
    text: `
select '{"data":{"customers":' || coalesce(json_agg(o)::text, '[]') || '}}'
from (
  select c.id, c.name, (
    select coalesce(json_agg(p), '[]')
    from (
      select p.id, p.quantity, r.product
      from purchase p
      left join lateral (
        select row_to_json(r) as product
        from (select id, name from product where id = p.product_id and tenant = $1) r
      ) r on true
      where p.customer_id = c.id and p.tenant = $1
      order by p.id
      limit 10
    ) p
  ) as purchases
  from customer c
  where c.tenant = $1 and c.city = $2
  order by c.id
  limit 20 offset $3
) o`,
  },
  '/aggregate': {
    values: ['product'],
    text: `
select '{"data":{"purchases":{"aggregate":{"count":' || count(*) || '},"nodes":'
  || coalesce(json_agg(o order by id)::text, '[]') || '}}}'
from (
  select id, quantity, status
  from purchase
  where tenant = $1 and product_id = $2
) o`,
  },
  '/insert_one': {
    values: ['customer', 'product', 'quantity'],
    text: `
with fresh as (
  insert into purchase (tenant, customer_id, product_id, quantity, status)
  values ($1, $2, $3, $4, 'open')
  returning customer_id, product_id, quantity
)
select '{"data":{"purchase":' || row_to_json(o)::text || '}}'
from (
  select customer_id, quantity, (
    select row_to_json(r)
    from (select id, name from product where id = product_id and tenant = $1) r
  ) as product
  from fresh
) o`,
  },
}

const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 16 })

createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    answerWorkload(request, Buffer.concat(chunks).toString())
      .then((body) => sendJson(response, 200, body))
      .catch((error: unknown) => sendJson(response, 500, String(error)))
  })
}).listen(Number(process.env.PORT), '127.0.0.1')
process.once('disconnect', () => process.exit(0))

async function answerWorkload(
  { url = '/', headers }: IncomingMessage,
  body: string,
): Promise<string> {
  const statement = STATEMENTS[url]
  if (!statement) return 'ready'
  const variables: Record<string, unknown> = JSON.parse(body)
  const { rows } = await pool.query<[string]>({
    name: url,
    text: statement.text,
    values: [headers['x-hasura-tenant'], ...statement.values.map((name) => variables[name])],
    rowMode: 'array',
  })
  return requireValue(rows[0], 'the result of a statement')[0]
}

function sendJson(response: ServerResponse, status: number, body: string) {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  response.writeHead(status, headers).end(body)
}
