-- Rules of teams that hold whatever path a change takes.

alter table team add column deleted_at timestamptz;
comment on column team.deleted_at is 'When its last member deleted their account; what its apps counted stays counted';

create trigger keep_team_id before update of team_id on membership for each row
  when (old.team_id is distinct from new.team_id) execute function refuse_change('team_id');
create trigger keep_user_id before update of user_id on membership for each row
  when (old.user_id is distinct from new.user_id) execute function refuse_change('user_id');

-- A team always has an owner. Of two owners who leave at one time, the second waits for the first here
-- and then sees that nobody else is left.
create function keep_an_owner() returns trigger
language plpgsql
as $$
begin
  perform from team where id = old.team_id and deleted_at is null for update;
  if found and not exists (select from membership where team_id = old.team_id and role = 'OWNER') then
    raise exception 'a team must keep an owner' using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
create trigger keep_an_owner_on_update after update of role on membership for each row
  when (old.role = 'OWNER' and new.role <> 'OWNER') execute function keep_an_owner();
create trigger keep_an_owner_on_delete after delete on membership for each row
  when (old.role = 'OWNER') execute function keep_an_owner();

-- What the operator looked at was the name and the logo: another name or logo was not looked at.
create function unverify() returns trigger
language plpgsql
as $$
begin
  new.is_verified := false;
  return new;
end
$$;
create trigger unverify before update of name, logo_url on app for each row
  when (old.is_verified and (old.name, old.logo_url) is distinct from (new.name, new.logo_url))
  execute function unverify();

-- A key's maker must know the id before the row is there: the hash is bound to it.
drop trigger set_id on api_key;
alter table api_key alter column id set default make_id('key');
alter table api_key add constraint api_key_id_check check (id ~ '^key_[0-9a-f]{32}$') not valid;
