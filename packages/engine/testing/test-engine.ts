import { Client } from 'pg'

/** Who asks: a role, or session variables (`x-hasura-…`), the role among them. */
export type Session = string | Readonly<Record<string, string>>

/** What GraphQL answers. */
export type QueryAnswer<Data> = {
  data?: Data | null
  errors?: readonly { message: string; extensions: { code: string; path: string } }[]
}

/** An engine on a database of its own. */
export type TestEngine = {
  /** Its address; GraphQL is at `/v1/graphql`. */
  url: string
  /** The address of its database, for a client of yours. */
  databaseUrl: string
  adminSecret: string
  /**
   * Asks as somebody.
   *
   * @param session a role, or session variables; `admin` may do everything
   * @param document an operation as text, or a generated document that prints as one
   */
  query<Data = Record<string, unknown>>(
    session: Session,
    document: string | { toString(): string },
    variables?: object,
  ): Promise<QueryAnswer<Data>>
  /** Runs SQL as superuser, past every permission. @returns the rows */
  sql<Row extends object = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<Row[]>
  /** Ends it, and drops its database. */
  close(): Promise<void>
}

type Connection = Pick<TestEngine, 'databaseUrl' | 'adminSecret' | 'close'> & { port: number }

/** The test's way to an engine that serves. */
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

/** Whoever asks knows what their document's answer looks like. */
function parseAnswer<Data>(text: string): QueryAnswer<Data> {
  return JSON.parse(text)
}
