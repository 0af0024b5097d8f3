/** A project modelled on public projects, and a query of a role with its response. */
export type PublicProject = {
  /** The variables that the project's author would have in `.env`. */
  variables: Readonly<Record<string, string>>
  role: string
  query: string
  data: object
}

/** The folder of the projects. They have the layouts and features of public projects (packages/engine/docs/public-projects.md). */
export const PROJECTS_FOLDER = 'packages/engine/test/projects'

/** The projects by folder name. */
export const PUBLIC_PROJECTS: Readonly<Record<string, PublicProject>> = {
  library: {
    variables: {},
    role: 'reader',
    query: '{volume {title loans {volume {title}} loans_aggregate {aggregate {count}}}}',
    data: {
      volume: [
        {
          title: 'A field guide to lichens',
          loans: [{ volume: { title: 'A field guide to lichens' } }],
          loans_aggregate: { aggregate: { count: 1 } },
        },
      ],
    },
  },
  fairs: {
    variables: { HOOKS: 'http://127.0.0.1:9', HOOK_SECRET: 'a secret' },
    role: 'guest',
    query: `{shows_find_fairs(args: {words: "kite"}) {title dates is_mine place {latitude}}
      shows_fair_aggregate {aggregate {count}} __type(name: "query_root") {name}}`,
    data: {
      shows_find_fairs: [
        {
          title: 'Kites by the sea',
          dates: '2030-05-01 to 2030-05-03',
          is_mine: true,
          place: { latitude: 54.5 },
        },
      ],
      shows_fair_aggregate: { aggregate: { count: 2 } },
      __type: { name: 'query_root' },
    },
  },
  trails: {
    variables: { HOOKS: 'http://127.0.0.1:9', HOOK_SECRET: 'a secret' },
    role: 'warden',
    query: '{trails(order_by: {id: asc}) {name state slug} walker(id: 1) {displayName}}',
    data: {
      trails: [
        { name: 'Long Ridge', state: 'open', slug: 'long-ridge' },
        { name: 'Wet Valley', state: 'closed', slug: null },
      ],
      walker: { displayName: 'Ada' },
    },
  },
  experiments: {
    variables: { HASURA_GRAPHQL_EXPERIMENTAL_FEATURES: 'naming_convention' },
    role: 'anonymous',
    query: '{runs(orderBy: {runId: ASC}) {runStatus steps {stepId took}}}',
    data: {
      runs: [
        { runStatus: 'done', steps: [{ stepId: 1, took: 1.5 }] },
        { runStatus: 'failed', steps: [] },
      ],
    },
  },
  auctions: {
    variables: {},
    role: 'anonymous',
    query:
      '{seller_totals(args: {least: 2}) {seller lots} open_lots_aggregate {aggregate {count}}}',
    data: {
      seller_totals: [
        { seller: 'ada', lots: 2 },
        { seller: 'bo', lots: 2 },
      ],
      open_lots_aggregate: { aggregate: { count: 3 } },
    },
  },
  depots: {
    variables: {},
    role: 'driver',
    query: `{depot(order_by: {id: asc}) {town reports(order_by: {day: asc}) {wind __typename}}
      weather {report(limit: 1, order_by: {wind: desc}) {day}}}`,
    data: {
      depot: [
        { town: 'Hook Norton', reports: [] },
        {
          town: 'Ware',
          reports: [
            { wind: 4, __typename: 'weather_report' },
            { wind: 7, __typename: 'weather_report' },
          ],
        },
      ],
      weather: { report: [{ day: '2030-01-02' }] },
    },
  },
}
