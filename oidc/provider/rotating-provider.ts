import { createProvider, type ProviderOptions, type SignInProvider } from './provider.ts'
import { loadSigningKeys, type SigningKey } from './signing-keys.ts'

type Options = Omit<ProviderOptions, 'keys'> & {
  keys: Omit<Parameters<typeof loadSigningKeys>[0], 'log'>
}

export type RotatingProvider = {
  /** The provider that answers requests now. */
  current(): SignInProvider
  /** Replaces the provider if the keys have changed. */
  refresh(): Promise<void>
}

/**
 * oidc-provider takes its keys only when it is made, so new keys require a new provider. Making one takes
 * less than a millisecond, and sign-ins that are under way are in the database: nobody notices.
 */
export async function startRotatingProvider(given: Options): Promise<RotatingProvider> {
  const { keys: stored, ...options } = given
  const keys = { ...stored, log: options.log }
  let loaded = await loadSigningKeys(keys)
  let provider = createProvider({ ...options, keys: loaded })
  return {
    current: () => provider,
    async refresh() {
      const latest = await loadSigningKeys(keys)
      if (keyIds(latest) === keyIds(loaded)) return
      provider = createProvider({ ...options, keys: latest })
      loaded = latest
      options.log.info({ signs: latest[0].kid, keys: latest.length }, 'signing keys changed')
    },
  }
}

function keyIds(keys: readonly SigningKey[]): string {
  return keys.map(({ kid }) => kid).join()
}
