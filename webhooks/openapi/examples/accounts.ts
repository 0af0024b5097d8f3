const EMAIL = 'ada@example.com'
const PASSWORD = 'difference'
/** A text that is as long as a mailed token. No link has this token. */
const LINK_TOKEN = 'the-token-in-the-link-that-was-mailed-to-you'.slice(0, 43)

const LOGIN = {
  'the token for GraphQL': {
    token:
      'eyJhbGciOiJIUzUxMiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJ1c3JfMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDEifQ.c2lnbmF0dXJl',
  },
}

const SIGNUP = {
  'a user and a team': {
    email: EMAIL,
    password: PASSWORD,
    name: 'Ada',
    team_name: 'Engine',
  },
}

const SESSION = { 'the token is in the cookie': { success: true } }

const MAILED = {
  request: { 'the address of an account': { email: EMAIL } },
  answers: { 200: { 'the same for every address': { success: true } } },
}

const LINK = { parameters: { token: LINK_TOKEN } }
const CHOOSE = {
  request: { 'a new password': { token: LINK_TOKEN, new_password: PASSWORD } },
}
const CONFIRM = {
  request: { "the account's password": { token: LINK_TOKEN, password: PASSWORD } },
}

/** The examples for accounts and for the pages behind mailed links. */
export const accountExamples = {
  'POST /api/v1/signup': {
    request: SIGNUP,
    answers: { 201: LOGIN },
  },
  'POST /api/v1/login': {
    request: { 'address and password': { email: EMAIL, password: PASSWORD } },
    answers: { 200: LOGIN },
  },
  'GET /api/v1/session': {
    answers: {
      200: { 'the id of the login': { login_id: 'login_00000000000000000000000000000001' } },
    },
  },
  'POST /api/v1/session/login': {
    request: { 'address and password': { email: EMAIL, password: PASSWORD } },
    answers: { 200: SESSION },
  },
  'POST /api/v1/session/signup': { request: SIGNUP, answers: { 201: SESSION } },
  'POST /api/v1/session/logout': {
    answers: { 200: { 'the browser is logged out': { success: true } } },
  },
  'POST /api/v1/resend-verification': MAILED,
  'POST /api/v1/forgot-password': MAILED,
  'GET /api/v1/verify-email': LINK,
  'POST /api/v1/verify-email': CONFIRM,
  'GET /api/v1/reset-password': LINK,
  'POST /api/v1/reset-password': CHOOSE,
  'GET /api/v1/change-email': LINK,
  'POST /api/v1/change-email': CONFIRM,
  'GET /api/v1/accept-invite': LINK,
  'POST /api/v1/accept-invite': CONFIRM,
}
