-- Prints a team and all its rows to the standard output: {"table": "…", "row": {…}}, one row a line. Instructions:
-- docs/operations/tasks.md.
--
--   psql "$SUPERUSER_URL" --quiet --set ON_ERROR_STOP=1 --set team=team_… < ops/export-team.sql > team.jsonl
--
-- "team.*" and not "team", because a name alone would be a column of that name, such as action.action.
--
-- COPY streams the rows, so the memory does not grow with the team. JSON has no control characters outside of escapes. So
-- with the quote and the delimiter below, the format CSV prints each line unchanged.

-- psql leaves an unset variable in the statement, and the error would then be about syntax.
\if :{?team}
\else
\set ON_ERROR_STOP on
do $$ begin raise exception 'the variable team is missing: pass --set team=team_… to psql'; end $$;
\endif

select set_config('export_team.id', :'team', false) \g /dev/null

do $$
begin
  perform from team where id = current_setting('export_team.id');
  if not found then
    raise exception 'there is no team %', current_setting('export_team.id');
  end if;
end
$$;

-- Committed before the first row is printed, so that an interrupted export is in the audit trail, too.
select from record_task(:'team', 'insert', 'export', :'team', '{}') \g /dev/null

begin isolation level repeatable read, read only;

copy (
  select jsonb_build_object('table', 'team', 'row', to_jsonb(team.*))
  from team
  where id = :'team'
) to stdout (format csv, quote e'\x01', delimiter e'\x02');

copy (
  select jsonb_build_object('table', 'membership', 'row', to_jsonb(membership.*) || jsonb_build_object('name', "user".name, 'email', "user".email))
  from membership
  join "user" on "user".id = user_id
  where team_id = :'team'
) to stdout (format csv, quote e'\x01', delimiter e'\x02');

copy (
  select jsonb_build_object('table', 'invite', 'row', to_jsonb(invite.*))
  from invite
  where team_id = :'team'
) to stdout (format csv, quote e'\x01', delimiter e'\x02');

copy (
  select jsonb_build_object('table', 'app', 'row', to_jsonb(app.*))
  from app
  where team_id = :'team'
) to stdout (format csv, quote e'\x01', delimiter e'\x02');

copy (
  select jsonb_build_object('table', 'action', 'row', to_jsonb(action.*))
  from action
  join app on app.id = app_id
  where team_id = :'team'
) to stdout (format csv, quote e'\x01', delimiter e'\x02');

copy (
  select jsonb_build_object('table', 'redirect', 'row', to_jsonb(redirect.*))
  from redirect
  join app on app.id = app_id
  where team_id = :'team'
) to stdout (format csv, quote e'\x01', delimiter e'\x02');

copy (
  select jsonb_build_object('table', 'request_key', 'row', to_jsonb(request_key.*))
  from request_key
  join app on app.id = app_id
  where team_id = :'team'
) to stdout (format csv, quote e'\x01', delimiter e'\x02');

copy (
  select jsonb_build_object('table', 'sign_in_client', 'row', to_jsonb(sign_in_client.*) - 'secret_hash' - 'registration_token_hash')
  from sign_in_client
  join app on app.id = app_id
  where team_id = :'team'
) to stdout (format csv, quote e'\x01', delimiter e'\x02');

copy (
  select jsonb_build_object('table', 'api_key', 'row', to_jsonb(api_key.*) - 'secret_hash')
  from api_key
  where team_id = :'team'
) to stdout (format csv, quote e'\x01', delimiter e'\x02');

copy (
  select jsonb_build_object('table', 'transaction', 'row', to_jsonb(transaction.*))
  from transaction
  where team_id = :'team'
) to stdout (format csv, quote e'\x01', delimiter e'\x02');

copy (
  select jsonb_build_object('table', 'nullifier', 'row', to_jsonb(nullifier.*))
  from nullifier
  join action on action.id = action_id
  join app on app.id = app_id
  where team_id = :'team'
) to stdout (format csv, quote e'\x01', delimiter e'\x02');

copy (
  select jsonb_build_object('table', 'audit', 'row', to_jsonb(audit.*))
  from audit
  where team_id = :'team'
) to stdout (format csv, quote e'\x01', delimiter e'\x02');

commit;
