// In your app, import '@worldcoin/idkit'. Here this name belongs to version 4, so version 2 is installed as idkit-2.
import { IDKitWidget, VerificationLevel } from 'idkit-2'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import { LEGACY_ACTION as ACTION, APP_ID, SIGNAL } from './app.mjs'

function Page() {
  const [outcome, setOutcome] = useState('')

  async function verifyOnServer(proof) {
    const response = await fetch('/verify-2', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(proof),
    })
    if (response.ok) return
    const { detail } = await response.json()
    // The widget shows only that the server declined the proof.
    setOutcome(detail)
    throw new Error(detail)
  }

  return (
    <>
      <IDKitWidget
        app_id={APP_ID}
        action={ACTION}
        signal={SIGNAL}
        bridge_url={import.meta.env.BRIDGE_URL ?? 'http://localhost:3003'}
        verification_level={VerificationLevel.Device}
        handleVerify={verifyOnServer}
        onSuccess={() => setOutcome('Verified.')}
      >
        {({ open }) => (
          <button
            type="button"
            onClick={() => {
              setOutcome('')
              open()
            }}
          >
            Prove that I am a unique person
          </button>
        )}
      </IDKitWidget>
      <p role="status">{outcome}</p>
    </>
  )
}

createRoot(document.querySelector('#page')).render(<Page />)
