-- The demo data of npm start. It can be applied again at any time: existing rows do not change.
set local platform.fixed_ids = 'on';

insert into team (id, name)
values
  ('team_00000000000000000000000000000001', 'Demo team'),
  ('team_00000000000000000000000000000002', 'Another team')
on conflict (id) do nothing;

insert into app (id, team_id, name, is_staging, creates_actions)
values
  ('app_staging_00000000000000000000000000000001', 'team_00000000000000000000000000000001', 'Demo app', true, true),
  ('app_b5bf70a63e4ecd0be5f1b754b6675728', 'team_00000000000000000000000000000001', 'Hola Mundo', false, false),
  ('app_staging_00000000000000000000000000000002', 'team_00000000000000000000000000000002', 'Another app', true, false)
on conflict (id) do nothing;

-- The private key is in examples/idkit/verify.mjs. IDKit's own examples have the same key.
insert into request_key (id, app_id, address)
values ('rpk_00000000000000000000000000000001', 'app_staging_00000000000000000000000000000001', '0x1be31a94361a391bbafb2a4ccd704f57dc04d4bb')
on conflict do nothing;

insert into action (id, app_id, action, name, max_verifications)
values
  ('action_00000000000000000000000000000001', 'app_staging_00000000000000000000000000000001', 'vote', 'Vote once', 1),
  ('action_00000000000000000000000000000002', 'app_staging_00000000000000000000000000000001', 'claim', 'Claim twice', 2),
  ('action_00000000000000000000000000000003', 'app_staging_00000000000000000000000000000001', 'check-in', 'Check in at any time', 0),
  ('action_00000000000000000000000000000004', 'app_b5bf70a63e4ecd0be5f1b754b6675728', 'verify-identity', 'Verify identity', 1),
  ('action_00000000000000000000000000000005', 'app_staging_00000000000000000000000000000002', 'vote', 'Vote once', 1),
  ('wid_staging_0fa2dbde7735834e560fb5ad13146f0c', 'app_staging_00000000000000000000000000000001', 'earlier', 'Of the first protocol', 1)
on conflict do nothing;

-- IDKit's own examples, and MiniKit's template, use this action. The examples request each credential.
insert into action (id, app_id, action, name, max_verifications, protocol, credentials)
values (
  'action_00000000000000000000000000000006', 'app_staging_00000000000000000000000000000001', 'test-action',
  'Of IDKit''s examples', 1, 'both', '{proof_of_human,passport,mnc,selfie}'
)
on conflict do nothing;
