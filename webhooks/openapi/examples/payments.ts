import { DEMO_APP } from './demo-app.ts'

const USER_OP_HASH = '0x7e7b9a3c5d1f4e6082a4c6e8f0b1d3f5a7c9ebad0f2143658799bbddff013254'

const PAYMENT = {
  'a mined payment': {
    reference: 'order-7',
    transaction_hash: '0xa4c4d3d1d7a98c1ebf7c9f82470e5022450927e6551e7c6a1b346caa59d75fed',
    transaction_status: 'mined',
    from: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
    chain: 'worldchain',
    timestamp: '2026-01-01T12:00:00.123456+00:00',
    block_timestamp: '2026-01-01T12:00:02+00:00',
    token_amount: '1500000',
    token: 'USDCE',
    to: '0x00000000000000000000000000000000000000aa',
    app_id: DEMO_APP,
  },
}

/** The examples for payments and prices. */
export const paymentExamples = {
  'GET /api/v2/minikit/transaction': {
    parameters: { reference: 'order-7', app_id: DEMO_APP, type: 'payment' },
    answers: { 200: PAYMENT },
  },
  'GET /api/v2/minikit/transaction/{transaction_id}': {
    parameters: {
      transaction_id: 'txn_00000000000000000000000000000001',
      app_id: DEMO_APP,
      type: 'payment',
    },
    answers: { 200: PAYMENT },
  },
  'GET /api/v2/minikit/userop/{user_op_hash}': {
    parameters: { user_op_hash: USER_OP_HASH },
    answers: {
      200: {
        'a mined user operation': {
          status: 'success',
          userOpHash: USER_OP_HASH,
          sender: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
          transaction_hash: '0xa4c4d3d1d7a98c1ebf7c9f82470e5022450927e6551e7c6a1b346caa59d75fed',
          nonce: '0x7',
        },
        'a user operation that no recent block has': {
          status: 'pending',
          userOpHash: USER_OP_HASH,
          sender: null,
          transaction_hash: null,
          nonce: null,
        },
      },
    },
  },
  'GET /public/v1/miniapps/prices': {
    parameters: { cryptoCurrencies: 'WLD,USDCE', fiatCurrencies: 'USD' },
    answers: {
      200: {
        'prices in US dollars': {
          result: {
            prices: {
              WLD: { USD: { asset: 'USD', amount: '930000', decimals: 6, symbol: 'USD' } },
              USDCE: { USD: { asset: 'USD', amount: '1000000', decimals: 6, symbol: 'USD' } },
            },
          },
        },
      },
    },
  },
}
