// The vote that the page requests and the server accepts. It belongs to the staging app that `npm start` creates.
export const APP_ID = 'app_staging_00000000000000000000000000000001'
export const RP_ID = 'rp_1cf5c1eeff2cad12'
export const ACTION = 'vote'
export const SIGNAL = 'yes'
