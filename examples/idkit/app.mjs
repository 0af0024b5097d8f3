// The vote that the page requests and the server accepts. It belongs to the staging app that `npm start` creates.
export const APP_ID = 'app_staging_00000000000000000000000000000001'
export const ACTION = 'vote'
export const SIGNAL = 'yes'
