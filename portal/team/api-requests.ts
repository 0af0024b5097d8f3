/** Returns a request that lists the team's apps and actions, with the number of people of each action. */
export function teamRequest(teamId: string): string {
  return `query Team {
  team_by_pk(id: ${JSON.stringify(teamId)}) {
    name
    apps(limit: 10) {
      id
      name
      actions(limit: 10) {
        id
        action
        nullifiers_aggregate {
          aggregate {
            count
          }
        }
      }
    }
  }
}`
}

/** Returns a request that lists the actions of an app. */
export function actionsRequest(appId: string): string {
  return `query Actions {
  action(
    where: { app_id: { _eq: ${JSON.stringify(appId)} } }
    order_by: { created_at: desc }
    limit: 50
  ) {
    id
    action
    name
    status
    max_verifications
  }
}`
}

/** Returns a request that lists the people who verified last for an action. */
export function peopleRequest(actionId: string): string {
  return `query People {
  action_by_pk(id: ${JSON.stringify(actionId)}) {
    action
    nullifiers(order_by: { created_at: desc }, limit: 50) {
      nullifier_hash
      uses
      created_at
    }
  }
}`
}

/** Returns a request that reads the settings of an app's sign-in. */
export function signInRequest(appId: string): string {
  return `query SignIn {
  app_by_pk(id: ${JSON.stringify(appId)}) {
    name
    redirects {
      id
      redirect_uri
    }
    sign_in_client {
      is_public
      response_types
    }
  }
}`
}

/** Returns a request that lists the newest payments to an app. */
export function paymentsRequest(appId: string): string {
  return `query Payments {
  transaction(
    where: { app_id: { _eq: ${JSON.stringify(appId)} } }
    order_by: { created_at: desc }
    limit: 50
  ) {
    id
    reference
    chain
    token
    token_amount
    transaction_status
    failure_reason
  }
}`
}
