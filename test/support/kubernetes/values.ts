import { operatorEnvironment } from '../compose.ts'

/** The required values if the operator has created the three Secrets. */
export const withSecretsByHand = {
  baseUrl: operatorEnvironment.BASE_URL,
  authUrl: operatorEnvironment.AUTH_URL,
  secrets: { existing: { platform: 'platform', hasuraRole: 'hasura', signInRole: 'sign-in' } },
}

const {
  BASE_URL,
  AUTH_URL,
  // The chart has other values for these three.
  POSTGRES_PASSWORD: _,
  PROXY_API_ADDRESS: __,
  PROXY_SIGN_IN_ADDRESS: ___,
  ...secrets
} = operatorEnvironment

/** The required values if the chart creates the Secrets. Their names are the variables of docker-compose.yml. */
export const withSecretsInValues = {
  baseUrl: BASE_URL,
  authUrl: AUTH_URL,
  secrets: {
    values: {
      ...secrets,
      HASURA_DATABASE_PASSWORD: 'aPasswordOfHasura',
      SIGN_IN_DATABASE_PASSWORD: 'aPasswordOfTheSignInServer',
    },
  },
}

/** Values that enable every optional part. */
export const withEverything = {
  ...withSecretsInValues,
  config: { LOG_LEVEL: 'warn', ROOT_MAX_AGE_SECONDS: '86400' },
  images: { pullSecrets: ['registry'], tag: 'abc123' },
  webhooks: { autoscaling: { enabled: true, by: 'proof_wait' } },
  oidc: { autoscaling: { enabled: true, by: 'cpu' } },
  hasura: { replicas: 6 },
  postgres: {
    storage: { class: 'fast' },
    pooler: { enabled: true },
    backups: { objectStore: 'backups' },
    restore: { objectStore: 'backups', server: 'old-postgres', until: '2026-01-31T12:00:00Z' },
  },
  ingress: {
    enabled: true,
    class: 'nginx',
    annotations: { 'cert-manager.io/cluster-issuer': 'a' },
  },
  gateway: { enabled: true, parentRefs: [{ name: 'public', namespace: 'gateways' }] },
  networkPolicies: {
    collector: [{ podSelector: { matchLabels: { app: 'collector' } } }],
    readers: [{ podSelector: { matchLabels: { app: 'reader' } } }],
  },
  monitoring: { serviceMonitors: true, alerts: true, dashboard: true, labels: { release: 'prom' } },
}

/** Values for trying the chart out: one instance of each part, and no network policies. */
export const small = {
  ...withSecretsByHand,
  proxy: { replicas: 1 },
  webhooks: { replicas: 1 },
  oidc: { replicas: 1 },
  hasura: { replicas: 1 },
  postgres: { instances: 1 },
  networkPolicies: { enabled: false },
}
