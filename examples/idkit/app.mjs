// The poll that the page requests and the server accepts. It belongs to the staging app that `npm start` creates.
export const APP_ID = 'app_staging_00000000000000000000000000000001'
export const RP_ID = 'rp_1cf5c1eeff2cad12'
export const ACTION = 'poll'
export const SIGNAL = 'yes'

// The action of the page with IDKit 2. It accepts protocol 3.0.
export const LEGACY_ACTION = 'vote'
