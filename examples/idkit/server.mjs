import { extname } from 'node:path'
import express from 'express'
import { bundlePages } from './bundle-pages.mjs'
import { verify } from './verify.mjs'
import { signedRequest, verify4 } from './verify-4.mjs'

// A website with both widgets. It uses the platform that `npm start` runs.

const { PORT = '3005' } = process.env
const pages = await bundlePages()

const web = express()
web.get('/{*path}', (request, response, next) => {
  const path = request.path === '/' ? '/index.html' : request.path
  const file = pages.get(path)
  if (!file) return next()
  response.type(extname(path)).send(file)
})
web.use(express.json())
web.post('/verify', async (request, response) => {
  sendAnswer(response, await verify(request.body))
})
web.post('/signed-request', (_request, response) => void response.json(signedRequest()))
web.post('/verify-4', async (request, response) => {
  sendAnswer(response, await verify4(request.body))
})
web.use((error, _request, response, _next) => {
  console.error(error)
  response.status(500).json({ detail: 'The website failed. See its terminal.' })
})
web.listen(Number(PORT), '127.0.0.1', (error) => {
  if (error) throw error
  console.info(`IDKit 2: http://localhost:${PORT}
IDKit 4: http://localhost:${PORT}/idkit-4.html`)
})

function sendAnswer(response, answer) {
  response.status(answer.success ? 200 : 400).json(answer)
}
