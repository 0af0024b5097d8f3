-- Of teams, but about tables of the sign-in server: so it comes after them.

-- Like the other functions of teams: no row means that the user may not, or that there is no such app.
create function reset_client_secret(user_id text, app_id text, secret_hash text) returns setof sign_in_client
language sql volatile
as $$
  insert into sign_in_client (app_id, secret_hash)
  select app.id, reset_client_secret.secret_hash
  from app
  join membership on membership.team_id = app.team_id
  where app.id = reset_client_secret.app_id
    and not app.is_archived
    and membership.user_id = reset_client_secret.user_id
    and membership.role in ('OWNER', 'ADMIN')
  on conflict on constraint sign_in_client_pkey do update
  set secret_hash = excluded.secret_hash
  returning *
$$;

create trigger audit after insert or update or delete on redirect for each row
  execute function audit('app_id', 'redirect_uri');
create trigger audit after insert or update or delete on sign_in_client for each row
  execute function audit('application_type', 'secret_hash');
