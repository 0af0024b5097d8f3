/** Describes the demo data of hasura/seeds/default/demo.sql. */
export const DEMO = [
  {
    name: 'Staging app',
    id: 'app_staging_00000000000000000000000000000001',
    note: 'Its actions: vote (once), claim (twice), check-in (unlimited), test-action (protocols 3.0 and 4.0)',
  },
  {
    name: 'Legacy action',
    id: 'wid_staging_0fa2dbde7735834e560fb5ad13146f0c',
    note: 'An action of the staging app, for /api/v1/verify (once)',
  },
  {
    name: 'Production app',
    id: 'app_b5bf70a63e4ecd0be5f1b754b6675728',
    note: 'Its action: verify-identity (once)',
  },
]
