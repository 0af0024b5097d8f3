import { expect, test, vi } from 'vitest'
import { freePort } from '../../../local/process/free-port.ts'
import { smtpServer } from '../../support/webhooks/smtp-server.ts'
import { startTestPlatform } from '../../support/webhooks/start-platform.ts'

test('a mail is sent when it is queued, without the schedule', async () => {
  const smtp = smtpServer(await freePort())
  await smtp.start()
  const services = { SMTP_URL: smtp.url }
  const platform = await startTestPlatform(services, (baseUrl) => ({
    WEBHOOKS_URL: baseUrl,
    ENGINE_CRON_DELIVER_INTERVAL_MS: '3600000',
  }))
  const email = 'ada@example.com'
  const account = { email, password: 'difference', name: 'Ada', team_name: 'Engine' }
  await platform.post('/api/v1/signup', account)
  await vi.waitUntil(() => smtp.received.length > 0, 30_000)
  expect(smtp.received.map(({ to }) => to)).toEqual([[email]])
  await platform.stop()
  await smtp.stop()
})
