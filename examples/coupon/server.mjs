import { createCouponApp } from './app.mjs'

// Runs the app with a running platform. The default app id and action belong to the demo team.
const {
  PORT = '4000',
  BASE_URL: baseUrl = 'http://localhost:3000',
  APP_ID: appId = 'app_staging_00000000000000000000000000000001',
  ACTION: action = 'vote',
} = process.env

createCouponApp({ baseUrl, appId, action }).listen(Number(PORT), '127.0.0.1', () => {
  console.info(`Coupons: POST http://localhost:${PORT}/coupon`)
})
