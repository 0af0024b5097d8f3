import { IDKitRequestWidget, IDKitSessionWidget } from '@worldcoin/idkit'
import { IDKit } from '@worldcoin/idkit-core'
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'

const root = createRoot(document.querySelector('#page'))
const status = document.querySelector('[role=status]')

/**
 * Opens a widget of IDKit with these props. The test's function `verify` gets the widget's result, unchanged; the page
 * shows its answer, or the widget's error.
 */
window.openWidget = ({ isSession, ...props }) => {
  status.textContent = ''
  root.render(
    createElement(isSession ? IDKitSessionWidget : IDKitRequestWidget, {
      key: crypto.randomUUID(),
      open: true,
      onOpenChange() {},
      onSuccess() {},
      onError(code) {
        status.textContent ||= `error ${code}`
      },
      async handleVerify(result) {
        status.textContent = await window.verify(result)
        if (!status.textContent.startsWith('200')) throw new Error(status.textContent)
      },
      ...props,
    }),
  )
}

/**
 * Makes a request with idkit-core, without React. Gives the link for the wallet to the test's function `openWallet`, and
 * returns the completion.
 */
window.requestProof = async ({ preset, constraints, ...config }) => {
  const builder = IDKit.request(config)
  const request = await (preset ? builder.preset(preset) : builder.constraints(constraints))
  await window.openWallet(request.connectorURI)
  return request.pollUntilCompletion({ pollInterval: 100, timeout: 30_000 })
}
