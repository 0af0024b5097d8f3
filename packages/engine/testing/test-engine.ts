import { Client } from 'pg'

/** The caller of a query: a role, or session variables (`x-hasura-…`) including the role. */
export type Session = string | Readonly<Record<string, string>>

/** The response to a GraphQL request. */
export type QueryAnswer<Data> = {
  data?: Data | null
  errors?: readonly { message: string; extensions: { code: string; path: string } }[]
}

/** An engine on an isolated database. */
export type TestEngine = {
  /** The engine's address; GraphQL is at `/v1/graphql`. */
  url: string
  /** The address of the engine's database. */
  databaseUrl: string
  adminSecret: string
  /**
   * Sends a GraphQL request.
   *
   * @param session a role, or session variables; `admin` has all permissions
   * @param document an operation as text, or a generated document with a `toString` that returns the text
   */
  query<Data = Record<string, unknown>>(
    session: Session,
    document: string | { toString(): string },
    variables?: object,
  ): Promise<QueryAnswer<Data>>
  /** Runs SQL with the role in `databaseUrl`, so Hasura's permissions do not apply. @returns the rows */
  sql<Row extends object = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<Row[]>
  /** Stops the engine, and drops its databases. */
  close(): Promise<void>
}

type Connection = Pick<TestEngine, 'databaseUrl' | 'adminSecret' | 'close'> & { port: number }

/** Creates the test's interface to a running engine. */
export function connectTestEngine(connection: Connection): TestEngine {
  const { port, databaseUrl, adminSecret, close } = connection
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    databaseUrl,
    adminSecret,
    close,
    async query(session, document, variables = {}) {
      const response = await fetch(`${url}/v1/graphql`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-hasura-admin-secret': adminSecret,
          ...(typeof session === 'string' ? { 'x-hasura-role': session } : session),
        },
        body: JSON.stringify({ query: String(document), variables }),
      })
      return parseAnswer(await response.text())
    },
    async sql(text, values = []) {
      const client = new Client({ connectionString: databaseUrl })
      client.on('error', () => {})
      await client.connect()
      try {
        const { rows } = await client.query(text, [...values])
        return rows
      } finally {
        await client.end()
      }
    },
  }
}

/** Parses a response. The caller states the type of its document's data. */
function parseAnswer<Data>(text: string): QueryAnswer<Data> {
  return JSON.parse(text)
}
