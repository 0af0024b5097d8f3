import { useEffect, useRef, useState } from 'react'
import { requestProof } from '../../../oidc/page/bridge.js'
import { settings } from '../../settings/settings.ts'
import { useApp } from '../../team/current-app.tsx'
import { type Choice, createInquiry } from './inquiries.ts'
import { explainFailure } from './messages.ts'
import { refusalInWords } from './refusals.ts'
import { type Exchange, verifyProof } from './verify-proof.ts'

export type Attempt =
  | { state: 'idle' | 'preparing' | 'checking' }
  | { state: 'waiting'; link: string; isSeen: boolean }
  /** The platform has accepted or rejected the proof. */
  | { state: 'verified'; exchange: Exchange }
  | { state: 'ended'; title: string; text: string }

/** How long an attempt waits for the wallet. World's bridge drops a request earlier. */
const MAX_WAIT_MS = 20 * 60_000

/** Runs attempts for the current app, one at a time. A new attempt ends the previous one. */
export function useAttempt() {
  const app = useApp()
  const [attempt, setAttempt] = useState<Attempt>({ state: 'idle' })
  const current = useRef(new AbortController())
  useEffect(() => () => current.current.abort(), [])

  async function begin(choice: Choice) {
    current.current.abort()
    const controller = new AbortController()
    current.current = controller
    const show = (next: Attempt) => {
      if (!controller.signal.aborted) setAttempt(next)
    }
    const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(MAX_WAIT_MS)])
    try {
      show({ state: 'preparing' })
      const { question, readAnswer, path } = await createInquiry(app, choice)
      const { link, answer } = await requestProof(WALLET, question)
      show({ state: 'waiting', link, isSeen: false })
      const onSeen = () => show({ state: 'waiting', link, isSeen: true })
      const reply = readAnswer(await answer({ onSeen, signal }))
      if ('error_code' in reply)
        return show({ state: 'ended', ...refusalInWords(reply.error_code) })
      show({ state: 'checking' })
      show({ state: 'verified', exchange: await verifyProof(path, reply.proof) })
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
