-- Invites those of the addresses [text] that are not members; who is invited already gets more time,
-- and another message unless they had one within the hour. A team invites a hundred a day: addresses
-- beyond that are left out.
create or replace function invite_team_members(user_id text, team_id text, emails jsonb) returns setof invite
language plpgsql volatile
as $$
declare
  invited_today bigint;
begin
  -- One caller at a time, so that the day's invites are counted right.
  perform from team where team.id = invite_team_members.team_id for update;
  select count(*) into invited_today
  from audit
  where audit.team_id = invite_team_members.team_id
    and audit.created_at > now() - interval '1 day'
    and audit.subject = 'invite'
    and audit.operation = 'insert';
  return query
  with invited as (
    insert into invite as known (team_id, email)
    select invite_team_members.team_id, address
    from jsonb_array_elements_text(emails) with ordinality as given (address, place)
    where is_owner(invite_team_members.user_id, invite_team_members.team_id)
      and not exists (
        select
        from membership
        join "user" on "user".id = membership.user_id
        where membership.team_id = invite_team_members.team_id
          and "user".email = address
      )
    group by address
    order by min(place)
    limit greatest(0, 100 - invited_today)
    on conflict on constraint invite_team_id_email_key do update
    set expires_at = excluded.expires_at
    returning known.*
  ),
  queued as (
    insert into mail (kind, invite_id)
    select 'invite', invited.id
    from invited
    where not exists (
        select
        from mail
        where mail.invite_id = invited.id
          and mail.created_at > now() - interval '1 hour'
      )
      -- An invite that was taken back took its messages along.
      and not exists (
        select
        from audit
        where audit.team_id = invite_team_members.team_id
          and audit.created_at > now() - interval '1 hour'
          and audit.subject = 'invite'
          and audit.operation = 'insert'
          and audit.changes #>> '{email,new}' = invited.email
          and audit.subject_id <> invited.id
      )
  )
  select * from invited;
end
$$;

drop index audit_invites_idx;
