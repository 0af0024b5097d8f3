import { useEffect, useRef, useState } from 'react'
import { VERIFICATION_LEVELS } from '../../../lib/proof/verification-level.ts'
import { requestProof } from '../../../oidc/page/bridge.js'
import { settings } from '../../settings/settings.ts'
import { useApp } from '../../team/current-app.tsx'
import { explainFailure, refusalInWords } from './messages.ts'
import { type Exchange, readWalletAnswer, verifyProof } from './verify-proof.ts'

export type Attempt =
  | { state: 'idle' | 'preparing' | 'checking' }
  | { state: 'waiting'; link: string; isSeen: boolean }
  /** The platform has accepted or rejected the proof. */
  | { state: 'verified'; exchange: Exchange }
  | { state: 'ended'; title: string; text: string }

/** How long an attempt waits for the wallet. World's bridge drops a request earlier. */
const MAX_WAIT_MS = 20 * 60_000

/** The hash of the empty signal, which IDKit sends for a request without a signal. */
const NO_SIGNAL = '0x00c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a4'

/** Runs attempts for the current app, one at a time. A new attempt ends the previous one. */
export function useAttempt() {
  const { id: appId, name: appName } = useApp()
  const [attempt, setAttempt] = useState<Attempt>({ state: 'idle' })
  const current = useRef(new AbortController())
  useEffect(() => () => current.current.abort(), [])

  async function begin(action: string) {
    current.current.abort()
    const controller = new AbortController()
    current.current = controller
    const show = (next: Attempt) => {
      if (!controller.signal.aborted) setAttempt(next)
    }
    const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(MAX_WAIT_MS)])
    try {
      show({ state: 'preparing' })
      const { link, answer } = await requestProof(WALLET, questionOf({ appId, appName, action }))
      show({ state: 'waiting', link, isSeen: false })
      const onSeen = () => show({ state: 'waiting', link, isSeen: true })
      const proof = readWalletAnswer(await answer({ onSeen, signal }))
      if ('error_code' in proof)
        return show({ state: 'ended', ...refusalInWords(proof.error_code) })
      show({ state: 'checking' })
      show({ state: 'verified', exchange: await verifyProof({ appId, action }, proof) })
    } catch (error) {
      show({ state: 'ended', ...explainFailure(error) })
    }
  }

  function cancel() {
    current.current.abort()
    setAttempt({ state: 'idle' })
  }

  return { attempt, begin, cancel }
}

const WALLET = { bridgeUrl: settings.bridgeUrl, linkUrl: settings.walletLinkUrl }

type Purpose = { appId: string; appName: string; action: string }

/** Returns the request that a widget would send if it accepted every verification level. */
function questionOf({ appId, appName, action }: Purpose) {
  return {
    app_id: appId,
    action,
    action_description: `${action} (${appName})`,
    signal: NO_SIGNAL,
    credential_types: VERIFICATION_LEVELS,
    verification_level: 'device',
  }
}
