/** What hasura/seeds/default/demo.sql puts there to be tried, for people to read. */
export const DEMO = [
  {
    name: 'Staging app',
    id: 'app_staging_00000000000000000000000000000001',
    note: 'Its actions: vote (once), claim (twice), check-in (unlimited)',
  },
  {
    name: 'Of protocol 1',
    id: 'wid_staging_0fa2dbde7735834e560fb5ad13146f0c',
    note: 'An action of the staging app (once)',
  },
  {
    name: 'Production app',
    id: 'app_b5bf70a63e4ecd0be5f1b754b6675728',
    note: 'Its action: verify-identity (once)',
  },
]
