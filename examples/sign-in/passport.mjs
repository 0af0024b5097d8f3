// npm install express express-session openid-client passport
import express from 'express'
import session from 'express-session'
import * as openid from 'openid-client'
import { Strategy } from 'openid-client/passport'
import passport from 'passport'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, SESSION_SECRET, PORT } = process.env
const config = await openid.discovery(new URL(ISSUER), CLIENT_ID, CLIENT_SECRET, undefined, {
  execute: [openid.allowInsecureRequests],
})
const options = { config, scope: 'openid', callbackURL: `http://localhost:${PORT}/callback` }
passport.use('personhood', new Strategy(options, (tokens, done) => done(null, tokens.claims().sub)))
passport.serializeUser((person, done) => done(null, person))
passport.deserializeUser((person, done) => done(null, person))

const web = express()
web.use(session({ secret: SESSION_SECRET, resave: false, saveUninitialized: false }))
web.use(passport.session())
web.get('/', ({ user }, response) => {
  response.send(user ? `You are ${user}` : '<a href="/login">Sign in</a>')
})
web.get('/login', passport.authenticate('personhood'))
const ends = { successRedirect: '/', failWithError: true }
web.get('/callback', passport.authenticate('personhood', ends))
web.use('/callback', (error, _request, response, _next) => {
  console.error(error.error_description ?? error.message)
  response.status(401).send('You are not signed in. <a href="/login">Try again</a>')
})
web.listen(PORT)
