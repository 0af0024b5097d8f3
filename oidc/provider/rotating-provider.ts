import { createProvider, type ProviderOptions, type SignInProvider } from './provider.ts'
import { loadSigningKeys, type SigningKey } from './signing-keys.ts'

type Options = Omit<ProviderOptions, 'keys'> & {
  keys: Omit<Parameters<typeof loadSigningKeys>[0], 'log'>
}

export type RotatingProvider = {
  /** Returns the provider that answers requests now. */
  current(): SignInProvider
  /** Replaces the provider if the keys have changed. */
  refresh(): Promise<void>
}

/**
 * Creates a provider and replaces it when the keys change, because oidc-provider reads its keys only at creation. A
 * new provider is created in less than a millisecond. Sign-ins in progress are in the database, so they continue.
 */
export async function startRotatingProvider({
  keys: keyOptions,
  ...options
}: Options): Promise<RotatingProvider> {
  const loadOptions = { ...keyOptions, log: options.log }
  let keys = await loadSigningKeys(loadOptions)
  let provider = createProvider({ ...options, keys })
  return {
    current: () => provider,
    async refresh() {
      const newKeys = await loadSigningKeys(loadOptions)
      if (keyIds(newKeys) === keyIds(keys)) return
      provider = createProvider({ ...options, keys: newKeys })
      keys = newKeys
      options.log.info({ signs: newKeys[0].kid, keys: newKeys.length }, 'signing keys changed')
    },
  }
}

function keyIds(keys: readonly SigningKey[]): string {
  return keys.map(({ kid }) => kid).join()
}
