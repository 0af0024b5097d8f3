/** The staging app of the demo data (hasura/seeds/default/demo.sql). */
export const DEMO_APP = 'app_staging_00000000000000000000000000000001'

/** The rp id of this app. */
export const DEMO_RP = 'rp_1cf5c1eeff2cad12'
