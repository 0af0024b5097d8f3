const TEAMS = 500
/** With this number, each partition of nullifiers has more rows than an operation may read. */
const PEOPLE_OF_A_TEAM = 20

/** Inserts the rows of 500 teams, enough for a test to notice a statement that reads the rows of all teams. */
export const MANY_TEAMS = `
  set platform.fixed_ids = 'on';
  insert into team (id, name) select 'team_' || lpad(n::text, 32, 'a'), 'Team' from generate_series(1, ${TEAMS}) n;
  insert into "user" (id, email, name, password_hash)
  select 'usr_' || lpad(n::text, 32, 'a'), n || '@example.com', 'Person', 'x' from generate_series(1, ${TEAMS}) n;
  insert into membership (id, team_id, user_id, role)
  select 'memb_' || n, 'team_' || lpad(n::text, 32, 'a'), 'usr_' || lpad(n::text, 32, 'a'), 'OWNER'
  from generate_series(1, ${TEAMS}) n;
  insert into invite (id, team_id, email)
  select 'inv_' || lpad(n::text, 32, 'a'), 'team_' || lpad(n::text, 32, 'a'), 'guest-' || n || '@example.com'
  from generate_series(1, ${TEAMS}) n;
  insert into invite_token (token_hash, invite_id)
  select lpad(n::text, 64, 'a'), 'inv_' || lpad(n::text, 32, 'a') from generate_series(1, ${TEAMS}) n;
  insert into login (id, user_id)
  select 'login_' || lpad(n::text, 32, 'a'), 'usr_' || lpad(n::text, 32, 'a') from generate_series(1, ${TEAMS}) n;
  insert into known_device (user_id, device_hash)
  select 'usr_' || lpad(n::text, 32, 'a'), lpad(n::text, 64, 'a') from generate_series(1, ${TEAMS}) n;
  insert into email_change (id, user_id, email)
  select 'change_' || lpad(n::text, 32, 'a'), 'usr_' || lpad(n::text, 32, 'a'), 'new-' || n || '@example.com'
  from generate_series(1, ${TEAMS}) n;
  insert into account_link (token_hash, user_id, email, kind, expires_at)
  select lpad(n::text, 64, 'a'), 'usr_' || lpad(n::text, 32, 'a'), 'user-' || n || '@example.com', 'verify_email', now() + interval '1 h' from generate_series(1, ${TEAMS}) n;
  insert into mail (id, kind, user_id, sent_at)
  select 'mail_' || n, 'verify_email', 'usr_' || lpad(n::text, 32, 'a'), now() from generate_series(1, ${TEAMS}) n;
  insert into api_key (id, team_id, name, secret_hash)
  select 'key_' || lpad(n::text, 32, 'a'), 'team_' || lpad(n::text, 32, 'a'), 'Key', lpad(n::text, 64, 'a')
  from generate_series(1, ${TEAMS}) n;
  insert into app (id, team_id, name)
  select 'app_' || lpad(n::text, 32, 'a'), 'team_' || lpad(n::text, 32, 'a'), 'App' from generate_series(1, ${TEAMS}) n;
  insert into action (id, app_id, action)
  select 'action_' || lpad(n::text, 32, 'a'), 'app_' || lpad(n::text, 32, 'a'), 'vote' from generate_series(1, ${TEAMS}) n;
  insert into nullifier (action_id, nullifier_hash, created_at)
  select 'action_' || lpad(t::text, 32, 'a'), '0x' || lpad(n::text, 64, '0'), timestamptz '2026-01-01' + n * interval '1 h'
  from generate_series(1, ${TEAMS}) t, generate_series(1, ${PEOPLE_OF_A_TEAM}) n;
  insert into counted_request (key_hash, app_id, fingerprint, action_id, nullifier_hash, uses, max_uses, verified_at, token_id)
  select lpad(n::text, 64, 'a'), 'app_' || lpad(n::text, 32, 'a'), repeat('a', 64), 'action_' || lpad(n::text, 32, 'a'), '0x' || lpad('1', 64, '0'), 1, 1, now(), 'token'
  from generate_series(1, ${TEAMS}) n;
  insert into answered_request (caller, key_hash, fingerprint, lease)
  select 'team_' || lpad(n::text, 32, 'a'), repeat('a', 64), repeat('a', 64), 'lease' from generate_series(1, ${TEAMS}) n;
  insert into redirect (id, app_id, redirect_uri)
  select 'uri_' || n, 'app_' || lpad(n::text, 32, 'a'), 'https://example.com/cb' from generate_series(1, ${TEAMS}) n;
  insert into sign_in_client (app_id, secret_hash)
  select 'app_' || lpad(n::text, 32, 'a'), repeat('a', 64) from generate_series(1, ${TEAMS}) n;
  insert into transaction (id, app_id, reference, chain, transaction_hash, type)
  select 'txn_' || n, 'app_' || lpad(n::text, 32, 'a'), 'order', 'worldchain', '0x' || lpad(n::text, 64, '0'), 'transaction'
  from generate_series(1, ${TEAMS}) n;
  insert into rate_limit (key, ends_at, hits)
  select 'key ' || n, now() + interval '1 h', 1 from generate_series(1, ${TEAMS}) n;
  reset platform.fixed_ids;
`
