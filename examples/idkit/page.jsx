import { CredentialRequest, IDKitRequestWidget } from '@worldcoin/idkit'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import { ACTION, APP_ID, SIGNAL } from './app.mjs'

function Page() {
  const [signedRequest, setSignedRequest] = useState(null)
  const [isOpen, setOpen] = useState(false)
  const [outcome, setOutcome] = useState('')

  async function open() {
    setOutcome('')
    const response = await fetch('/signed-request', { method: 'POST' })
    setSignedRequest(await response.json())
    setOpen(true)
  }

  async function verifyOnServer(result) {
    const response = await fetch('/verify', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(result),
    })
    if (response.ok) return
    const { detail } = await response.json()
    // The widget shows only that the server declined the proof.
    setOutcome(detail)
    throw new Error(detail)
  }

  return (
    <>
      <button type="button" onClick={open}>
        Prove that I am a unique person
      </button>
      {signedRequest && (
        <IDKitRequestWidget
          open={isOpen}
          onOpenChange={setOpen}
          app_id={APP_ID}
          action={ACTION}
          rp_context={signedRequest}
          bridge_url={import.meta.env.BRIDGE_URL ?? 'http://localhost:3003'}
          allow_legacy_proofs={false}
          constraints={CredentialRequest('proof_of_human', { signal: SIGNAL })}
          handleVerify={verifyOnServer}
          onSuccess={() => setOutcome('Verified.')}
        />
      )}
      <p role="status">{outcome}</p>
    </>
  )
}

createRoot(document.querySelector('#page')).render(<Page />)
