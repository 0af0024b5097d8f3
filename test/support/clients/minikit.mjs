import { MiniKit } from '@worldcoin/minikit-js'
import { Tokens, tokenToDecimals } from '@worldcoin/minikit-js/commands'
import { useUserOperationReceipt } from '@worldcoin/minikit-react'
import { createElement, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { createPublicClient, http } from 'viem'

// World App, as far as these commands need it. The test's function `answerCommand` answers them.
const COMMANDS = { pay: 'miniapp-payment', 'send-transaction': 'miniapp-send-transaction' }
window.WorldApp = {
  world_app_version: 4001000,
  device_os: 'ios',
  safe_area_insets: { top: 0, right: 0, bottom: 0, left: 0 },
  supported_commands: Object.keys(COMMANDS).map((name) => ({ name, supported_versions: [1, 2] })),
}
window.webkit = {
  messageHandlers: {
    minikit: {
      async postMessage({ command, payload }) {
        const answer = await window.answerCommand({ command, payload })
        MiniKit.trigger(COMMANDS[command], { status: 'success', version: 1, ...answer })
      },
    },
  },
}
MiniKit.install('app_staging_00000000000000000000000000000001')

/** Pays 1.5 USDCE with MiniKit's `pay`, and returns the data of its result. */
window.pay = async ({ reference, to }) => {
  const { data } = await MiniKit.pay({
    reference,
    to,
    tokens: [{ symbol: Tokens.USDC, token_amount: tokenToDecimals(1.5, Tokens.USDC).toString() }],
    description: 'An order',
  })
  return data
}

/** Sends a transaction with MiniKit's `sendTransaction`. Returns the hash that `useUserOperationReceipt` finds. */
window.sendTransaction = async ({ to, apiBaseUrl, rpcUrl }) => {
  const { data } = await MiniKit.sendTransaction({
    chainId: 480,
    transactions: [{ to, data: '0x', value: '0x0' }],
  })
  const client = createPublicClient({ transport: http(rpcUrl) })
  const { promise, resolve, reject } = Promise.withResolvers()
  const ReceiptOf = ({ userOpHash }) => {
    const { poll } = useUserOperationReceipt({ client, apiBaseUrl })
    useEffect(() => void poll(userOpHash).then(resolve, reject), [poll, userOpHash])
    return null
  }
  createRoot(document.querySelector('#page')).render(
    createElement(ReceiptOf, { userOpHash: data.userOpHash }),
  )
  const { transactionHash } = await promise
  return transactionHash
}
