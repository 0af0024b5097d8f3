import { useEffect, useRef, useState } from 'react'
import { VERIFICATION_LEVELS } from '../../../lib/proof/verification-level.ts'
import { requestProof } from '../../../oidc/page/bridge.js'
import { settings } from '../../settings/settings.ts'
import { useApp } from '../../team/current-app.tsx'
import { type Exchange, readWalletAnswer, verifyProof } from './verify-proof.ts'
import { explainFailure, refusalInWords } from './words.ts'

/** How far a try has come. */
export type Attempt =
  | { state: 'idle' | 'preparing' | 'checking' }
  | { state: 'waiting'; link: string; isSeen: boolean }
  /** The platform has answered, whatever it thinks of the proof. */
  | { state: 'verified'; exchange: Exchange }
  | { state: 'ended'; title: string; text: string }

/** Longer than bridges keep a request. */
const MAX_WAIT_MS = 20 * 60_000

/** The hash of the empty signal: what IDKit sends for a request without one. */
const NO_SIGNAL = '0x00c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a4'

/** Tries of the app whose page this is, one at a time: a new one ends the one before. */
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
      const given = readWalletAnswer(await answer({ onSeen, signal }))
      if ('error_code' in given)
        return show({ state: 'ended', ...refusalInWords(given.error_code) })
      show({ state: 'checking' })
      show({ state: 'verified', exchange: await verifyProof({ appId, action }, given) })
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

/** What a widget asks of a wallet, for a person who was verified in any way. */
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
