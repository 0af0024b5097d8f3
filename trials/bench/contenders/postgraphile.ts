import { createServer } from 'node:http'
import { postgraphile } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { grafserv } from 'postgraphile/grafserv/node'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'

/** PostGraphile, configured as its manual recommends. The row-level policies get role and tenant from the headers. */
const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [
    makePgService({
      connectionString: process.env.DATABASE_URL ?? '',
      schemas: ['public'],
      poolConfig: { max: 16 },
    }),
  ],
  grafserv: { graphqlPath: '/v1/graphql', graphiqlPath: '/' },
  grafast: {
    context: ({ node }) => ({
      pgSettings: {
        role: String(node?.req.headers['x-hasura-role']),
        'shop.tenant': String(node?.req.headers['x-hasura-tenant']),
      },
    }),
  },
})

const server = createServer()
await instance.createServ(grafserv).addTo(server)
server.listen(Number(process.env.PORT), '127.0.0.1')
process.once('disconnect', () => process.exit(0))
