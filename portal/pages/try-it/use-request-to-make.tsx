import { useState } from 'react'
import { requestKeyOf, useApp } from '../../team/current-app.tsx'
import type { Choice } from './inquiries.ts'
import { type Protocol, ProtocolChoice, useActionRules } from './protocol-choice.tsx'
import { readSigningKey, SigningKeyField } from './signing-key-field.tsx'

/**
 * The fields of a request besides its action: the protocol, if the action accepts both, and the key of protocol 4.0.
 *
 * @returns the fields, whether they are ready, and a function that reads them. It shows an error and returns null for a
 *   wrong key.
 */
export function useRequestToMake(action: string) {
  const app = useApp()
  const { protocols, credentials, isCurrent } = useActionRules(action)
  const [preferredProtocol, setPreferredProtocol] = useState<Protocol>('4.0')
  const [keyText, setKeyText] = useState('')
  const [keyError, setKeyError] = useState<string | null>(null)
  const protocol = protocols.includes(preferredProtocol) ? preferredProtocol : '3.0'
  const changeKey = (text: string) => {
    setKeyText(text)
    setKeyError(null)
  }
  async function read(): Promise<Choice | null> {
    if (protocol !== '4.0') return { action, protocol: '3.0' }
    const key = await readSigningKey(keyText, requestKeyOf(app)?.address)
    if ('privateKey' in key) return { action, protocol, privateKey: key.privateKey, credentials }
    setKeyError(key.error)
    return null
  }
  const fields = (
    <>
      {protocols.length > 1 && <ProtocolChoice value={protocol} onChange={setPreferredProtocol} />}
      {protocol === '4.0' && (
        <SigningKeyField value={keyText} error={keyError} onChange={changeKey} />
      )}
    </>
  )
  const hasKey = protocol === '3.0' || requestKeyOf(app) !== undefined
  return { fields, isReady: isCurrent && hasKey, read }
}
